/* Games between individuals of one generation, by the rules and with the moves of game/batch/kernels.py. */
"use strict";

const MAN_ROUNDING = 2 ** -16;

/** Compute the parameters of a genome: those of the first layer on a grid, as `prepare` of game/networks/kernels.py.
 *
 * `places` has pairs of numbers: a parameter, and its weight. The first `linear` weights follow once more after all
 * weights, multiplied by the king's value.
 */
function prepare(genome, king, places, linear, params) {
    const weights = genome.length;
    const rounded = new Float32Array(weights + linear);
    rounded.set(genome);
    let largest = 0;
    for (let index = 0; index < linear; index++) {
        largest = Math.max(largest, Math.abs(genome[index]));
    }
    let grid = MAN_ROUNDING;
    while (largest * (24 * Math.max(king, 1) + 1) >= 2 ** 23 * grid) {
        grid *= 2;
    }
    const magic = 1.5 * 2 ** 52 * grid; // adding and subtracting it rounds to the grid, half to even
    for (let index = 0; index < linear; index++) {
        rounded[index] = genome[index] + magic - magic;
        rounded[weights + index] = genome[index] * king + magic - magic;
    }
    for (let index = 0; index < places.length; index += 2) {
        params[places[index]] = rounded[places[index + 1]];
    }
}

/** A player that counts pieces, in place of a network; see `material` of game/search/context_kernels.py. */
class PieceCounter {
    constructor() {
        this.width = 0;
        this.halves = [new Float32Array(0)];
    }

    buildSums() {}

    updateSums() {}

    remember() {}

    cached() {
        return NaN;
    }

    cachePlace() {
        return 0;
    }

    value(own, opponent, kings) {
        const men = popcount(own & ~kings) - popcount(opponent & ~kings);
        return men + 1.5 * (popcount(own & kings) - popcount(opponent & kings));
    }
}

/** The games of one thread: two networks that take the weights of individuals, and a search. */
class Arena {
    static async of(data) {
        const [taps, places, ballots] = await Promise.all(
            [data.network.taps, data.network.places, data.ballots].map(unpack),
        );
        return new Arena(data, new Int32Array(taps), new Uint32Array(places), new Int8Array(ballots));
    }

    constructor(data, taps, places, ballots) {
        this.data = data;
        this.taps = taps;
        this.places = places;
        this.ballots = ballots;
        this.networks = [this.network(), this.network()];
        this.counter = new PieceCounter();
        this.search = new Search(this.networks[0], data.options, data.rules);
        this.thinker = new Search(this.networks[0], data.options);
    }

    /** Return a network whose weights are all 1. */
    network() {
        const { weights, linear, params } = this.data.network;
        const memory = new Float32Array(params);
        prepare(new Float32Array(weights).fill(1), 1, this.places, linear, memory);
        return new Network(this.data.network, this.taps, memory);
    }

    /** Give a network the weights of an individual. */
    bind(network, genome, king) {
        prepare(genome, king, this.places, this.data.network.linear, network.params);
        network.king = king;
        network.cacheMovers.fill(-1);
    }

    /** Answer a task: {games}, whose positions are kept if `keep`, or {genome, king, position, earlier, limits}. */
    answer(task) {
        if (task.games) {
            return task.games.map((game) => {
                const { result, positions } = this.play(game);
                return { result, positions: game.keep ? positions : [] };
            });
        }
        this.bind(this.networks[0], task.genome, task.king);
        return this.thinker.search(task.position, task.earlier, task.limits);
    }

    /** Play a game of two players.
     *
     * A player is {genome, king, depth}, {depth} for one that counts pieces, or {lots} for one that plays the move with
     * these numbers modulo the number of moves, one after the other.
     *
     * @returns `result`, 1 if Black won, -1 if White won, 0 for a draw, and `positions`.
     */
    play({ black, white, ballot }) {
        const choosers = [black, white].map(({ genome, king, depth, lots }, side) => {
            if (lots) {
                let turn = 0;
                return (position, earlier, count) => lots[turn++ % lots.length] % count;
            }
            const network = genome ? this.networks[side] : this.counter;
            if (genome) {
                this.bind(network, genome, king);
            }
            const limits = { depth };
            return (position, earlier) => {
                this.search.network = network;
                return this.search.choose(position, earlier, limits);
            };
        });
        return playGame(choosers, this.data.rules, this.ballots.subarray(3 * ballot, 3 * ballot + 3));
    }
}

/** Play a game; `choosers` return the number of a move, or -1 for a player that fails. See `Arena.play`. */
function playGame(choosers, rules, opening) {
    const rows = new Int32Array((MOST_MOVES + 1) * ROW);
    const positions = [START];
    let position = START;
    let earlier = []; // positions since the last capture or move of a man
    for (let ply = 0; ; ply++) {
        const { black, white, kings, side } = position;
        const [own, opponent] = side === BLACK ? [black, white] : [white, black];
        const count = generate(own, opponent, kings, side, rows, 0);
        const lost = { result: side === BLACK ? -1 : 1, positions };
        if (count === 0) {
            return lost;
        }
        const same = earlier.filter((other) => isSamePosition(position, other)).length + 1;
        if (earlier.length >= rules.quietPlies || same >= rules.repetition) {
            return { result: 0, positions };
        }
        let chosen = 0;
        if (ply < opening.length) {
            chosen = opening[ply];
        } else if (count > 1) {
            chosen = choosers[side](position, earlier, count);
        }
        if (chosen < 0) {
            return lost;
        }
        const at = chosen * ROW;
        const [ownAfter, opponentAfter] = [rows[at], rows[at + 1]];
        const after = {
            black: side === BLACK ? ownAfter : opponentAfter,
            white: side === BLACK ? opponentAfter : ownAfter,
            kings: rows[at + 2],
            side: 1 - side,
        };
        earlier = isReversible(position, after) ? [...earlier, position] : [];
        position = after;
        positions.push(position);
    }
}
