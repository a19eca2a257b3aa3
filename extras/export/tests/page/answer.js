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
