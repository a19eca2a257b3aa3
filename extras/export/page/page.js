/* The page of one player, which thinks in a worker, so that the page always answers. The worker runs the same engine: its
 * source is that of the script element `engine`.
 */
"use strict";

const data = JSON.parse(document.getElementById("player").textContent);
const DEPTHS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12];

const WORKER = `
const data = DATA;
const ready = Player.of(data);
onmessage = async ({ data: { number, position, earlier, limits } }) => {
    const player = await ready;
    const send = (result, done) => postMessage({ number, result, done });
    send(player.search(position, earlier, limits, (result) => send(result, false)), true);
};`;

let worker = null;
let task = 0;

/** Start the worker that thinks, or a new one in its place. */
function startWorker() {
    if (worker !== null) {
        worker.terminate();
    }
    worker = engineWorker(WORKER, element("player").textContent);
    worker.onerror = ({ message }) => {
        game.thinking = false;
        say(`The search has failed: ${message}. Take a move back to try again.`);
        startWorker();
    };
    worker.onmessage = ({ data: answer }) => {
        if (answer.number === task) {
            receive(answer.result, answer.done);
        }
    };
}

/** Begin a search: for the player's own move, or for a hint. */
function think() {
    game.thinking = true;
    task += 1;
    const moves = legalMoves(current());
    if (moves.length === 1) { // the program does not search for a forced move either
        const number = task;
        setTimeout(() => number === task && settle(moves[0]), 300);
        return;
    }
    const chosen = element("depth").value;
    const limits = chosen === "" ? data.limits : { depth: Number(chosen), nodes: null };
    worker.postMessage({ number: task, position: current(), earlier: game.positions.slice(0, -1), limits });
}

function receive(result, done) {
    if (result === null) {
        game.thinking = false;
        say(`${data.name} gives a value that is not a finite number, so it has lost.`);
        return;
    }
    describe(result);
    if (!done) {
        return;
    }
    settle(legalMoves(current()).find(({ text }) => text === result.move));
}

/** Forget a search that is going on; a worker cannot be interrupted in another way. */
function stop() {
    if (game.thinking) {
        startWorker();
        task += 1;
        game.thinking = false;
    }
}

/** Fill in the player's facts and the choice of depth, and begin. */
function begin() {
    for (const [id, text] of [["name", data.name], ["says", data.sentence], ["rating", data.rating]]) {
        element(id).textContent = text;
    }
    element("emblem").style.backgroundImage = data.emblem;
    element("emblem").hidden = data.emblem === "";
    document.body.classList.toggle("framed", window.parent !== window); // as in the report of a run
    element("about").hidden = data.facts.length === 0;
    listFacts(element("facts"), data.facts);
    const { depth, nodes } = data.limits;
    const inMoves = (plies) => (plies === 1 ? "1 move" : `${plies} moves`);
    const own = [depth === null ? "" : inMoves(depth), nodes === null ? "" : `${nodes.toLocaleString("en")} positions`];
    const choices = [["", `${own.filter((text) => text !== "").join(", ")} (usual)`]];
    for (const plies of DEPTHS) {
        choices.push([plies, inMoves(plies)]);
    }
    for (const [value, text] of choices) {
        element("depth").append(new Option(text, value));
    }
    connectBoard();
    startWorker();
    newGame(BLACK);
}

begin();
