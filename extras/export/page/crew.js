/* The threads of a page that evolves: workers that run the engine, or, where they are forbidden, the page's own thread. */
"use strict";

const GAMES_A_TASK = 4; // so that a search for a move does not wait long for a worker

const WORKER = `
const ready = Arena.of(DATA);
onmessage = async ({ data: { number, task } }) => postMessage({ number, result: (await ready).answer(task) });`;

/** A stand-in for a worker, which does its tasks between the events of the page. */
class OwnThread {
    constructor(data) {
        this.ready = Arena.of(data);
    }

    postMessage({ number, task }) {
        setTimeout(async () => this.onmessage({ data: { number, result: (await this.ready).answer(task) } }));
    }
}

/** Threads that share tasks; see `Arena.answer`. */
class Crew {
    /** @param onRefused called once if workers are forbidden. */
    constructor(data, count, onRefused) {
        this.data = data;
        this.onRefused = onRefused;
        this.queue = [];
        this.running = new Map(); // tasks by number
        this.number = 0;
        this.idle = [];
        this.gamesATask = GAMES_A_TASK;
        try {
            this.workers = Array.from({ length: count }, () => this.worker());
            this.idle.push(...this.workers);
        } catch {
            this.refuse();
        }
    }

    worker() {
        const source = element("engine").textContent + WORKER.replace("DATA", () => JSON.stringify(this.data));
        const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
        const worker = new Worker(address);
        URL.revokeObjectURL(address);
        worker.onmessage = (event) => this.receive(worker, event.data);
        worker.onerror = (event) => {
            event.preventDefault();
            this.refuse();
        };
        return worker;
    }

    /** Go on without workers. */
    refuse() {
        if (this.gamesATask === 1) {
            return;
        }
        (this.workers ?? []).forEach((worker) => worker.terminate());
        const thread = new OwnThread(this.data);
        thread.onmessage = (event) => this.receive(thread, event.data);
        this.queue.unshift(...this.running.values());
        this.running.clear();
        this.idle = [thread];
        this.gamesATask = 1;
        this.onRefused();
        this.hand();
    }

    receive(thread, { number, result }) {
        const given = this.running.get(number);
        this.running.delete(number);
        this.idle.push(thread);
        this.hand();
        if (given !== undefined) {
            given.resolve(result);
        }
    }

    hand() {
        while (this.idle.length > 0 && this.queue.length > 0) {
            const given = this.queue.shift();
            this.running.set(++this.number, given);
            this.idle.pop().postMessage({ number: this.number, task: given.task });
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
        for (let start = 0; start < games.length; start += this.gamesATask) {
            parts.push(this.ask({ games: games.slice(start, start + this.gamesATask) }));
        }
        return (await Promise.all(parts)).flat();
    }
}
