/* A player of a page: what another program needs from the engine. */
"use strict";

/** A player: its network, and a search for each side if results are kept from move to move. */
class Player {
    /** Return the player of a page, whose network is packed. */
    static async of(data) {
        const { taps, params } = data.network;
        const network = new Network(data.network, new Int32Array(await unpack(taps)), new Float32Array(await unpack(params)));
        return new Player(data, network);
    }

    constructor(data, network) {
        this.network = network;
        this.network.margins = data.margins.map((margin) => (margin === null ? Infinity : margin));
        this.options = data.options;
        this.searches = Array.from({ length: data.options.keeps_table ? 2 : 1 }, () => new Search(this.network, data.options));
        this.last = [null, null];
    }

    /** Search a position; see `Search.search`. */
    search(position, earlier, limits, onDepth) {
        const search = this.searches[position.side % this.searches.length];
        if (this.options.keeps_table) {
            const line = [...earlier, position].map((board) => JSON.stringify(board));
            const last = this.last[position.side];
            search.goesOn =
                last !== null &&
                last.how === JSON.stringify(limits) &&
                last.line.length < line.length &&
                last.line.every((board, index) => board === line[index]);
            this.last[position.side] = { line, how: JSON.stringify(limits) };
        }
        return search.search(position, earlier, limits, onDepth);
    }
}
