/* Answers the jobs of a test with the engine of a page, in Node and in a browser. */
async function answerAll(data, jobs) {
    const player = await Player.of(data);
    return jobs.map((job) => {
        if (job.perft !== undefined) {
            return perft(START, job.perft);
        }
        const position = positionOf(job.fen);
        if (!job.goes_on) {
            player.last = [null, null]; // a game of its own
        }
        const limits = { depth: job.depth, nodes: job.nodes };
        const result = player.search(position, job.earlier.map(positionOf), limits);
        const values = [BLACK, WHITE].map((side) => player.network.evaluate(position, side));
        return [result.move, result.score, result.nodes, result.scoreDepth, result.line, values];
    });
}

/** Count the move sequences of `depth` plies. */
function perft(position, depth) {
    const rows = new Int32Array((depth + 1) * (MOST_MOVES + 1) * ROW);

    function count(own, opponent, kings, side, left, at) {
        const moves = generate(own, opponent, kings, side, rows, at);
        if (left === 1) {
            return moves;
        }
        const free = at + moves * ROW;
        let total = 0;
        for (let row = at; row < free; row += ROW) {
            total += count(rows[row + 1], rows[row], rows[row + 2], 1 - side, left - 1, free);
        }
        return total;
    }

    const { black, white, kings, side } = position;
    return depth === 0 ? 1 : count(side === BLACK ? black : white, side === BLACK ? white : black, kings, side, depth, 0);
}

/** Return the position of a FEN such as `B:W21-32:B1-12`; kings are written K5. */
function positionOf(fen) {
    const [mover, ...lists] = fen.trim().replace(/\.$/, "").split(":");
    const position = { black: 0, white: 0, kings: 0, side: mover === "W" ? WHITE : BLACK };
    for (const list of lists) {
        const colour = list[0] === "W" ? "white" : "black";
        for (const item of list.slice(1).split(",").filter((text) => text !== "")) {
            const [first, last] = item.replace("K", "").split("-").map(Number);
            for (let square = first; square <= (last || first); square++) {
                position[colour] |= 1 << (square - 1);
                position.kings |= item[0] === "K" ? 1 << (square - 1) : 0;
            }
        }
    }
    return position;
}
