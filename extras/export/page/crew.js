/* The threads of a page that evolves: workers that run the engine. */
"use strict";

const GAMES_A_TASK = 4; // so that a search for a move does not wait long for a worker

const WORKER = `
const ready = Arena.of(DATA);
onmessage = async ({ data: task }) => postMessage((await ready).answer(task));`;

/** Workers that share tasks; see `Arena.answer`. */
class Crew {
    constructor(data, count) {
        this.queue = [];
        this.idle = Array.from({ length: count }, () => engineWorker(WORKER, JSON.stringify(data)));
        for (const worker of this.idle) {
            worker.onerror = ({ message }) => say(`It cannot evolve here: ${message ?? "the browser forbids workers"}.`);
        }
    }

    /** Give tasks to the workers that have none. */
    hand() {
        while (this.idle.length > 0 && this.queue.length > 0) {
            const worker = this.idle.pop();
            const { task, resolve } = this.queue.shift();
            worker.onmessage = ({ data: result }) => {
                this.idle.push(worker);
                this.hand();
                resolve(result);
            };
            worker.postMessage(task);
        }
    }

    /** Return the answer to a task; an urgent one comes before all that are not yet begun. */
    ask(task, urgent = false) {
        return new Promise((resolve) => {
            this.queue[urgent ? "unshift" : "push"]({ task, resolve });
            this.hand();
        });
    }

    /** Return the outcomes of games; see `Arena.play`. */
    async play(games) {
        const parts = [];
        for (let start = 0; start < games.length; start += GAMES_A_TASK) {
            parts.push(this.ask({ games: games.slice(start, start + GAMES_A_TASK) }));
        }
        return (await Promise.all(parts)).flat();
    }
}
