/* The page that evolves: its opponent is the champion of a run in memory, which goes on while the person plays. */
"use strict";

const SOURCE = document.documentElement.outerHTML; // as it was sent; copies are made of it
const data = { name: "Your opponent", counts_men: false, ...JSON.parse(element("player").textContent) };
const RUN = '\x3cscript type="application/json" id="run">'; // its contents follow; not written as a tag within a script
const PACES = [2, 8, 32, Infinity];
const PATIENCE = 1000; // ms that a person waits for generations before the answer
const MOST_IDLE = 120000; // ms without input after which it pauses
const MOST_OWED = 3; // moves whose generations may be missing
const SEEN_BOARDS = 8;
const FRAME = 60; // ms between two moves on the small boards
const PAUSE = 12; // frames at the end of their games
const RATED_OVER = 16; // generations whose two games against known opponents make an estimate
const SQUARE = 20; // pixels of a square of a small board
const still = matchMedia("(prefers-reduced-motion)"); // then the small boards show how games ended

let task = 0;
let touched = performance.now(); // the time of the last input
let crew = null;
let run = null; // an Evolution
let champion = null; // {genome, king, generation}
let target = 0; // the generation to which it evolves
let busy = false; // whether a generation is being made
let waiting = []; // answers that wait for a generation
let rated = []; // by generation: {games, rating, low, high}
let moments = []; // the newest generation at each move of the person
let state = {}; // what a copy of the page needs, as of the newest generation
let arena = { generation: -1, games: [], frame: 0 }; // on the small boards
let coming = arena;

/* ---- evolving ---- */

function pace() {
    return PACES[element("pace").selectedIndex];
}

/** Return whether to go on: it pauses while the page is hidden, and when there was no input for a while. */
function isWanted() {
    return run.generation < target && !document.hidden && performance.now() - touched < MOST_IDLE;
}

/** Go on to the target, unless it is going on. */
function evolve() {
    if (!busy && isWanted()) {
        busy = true;
        makeGenerations(run);
    }
}

/** Make one generation after the other, while this run is the one of the page. */
async function makeGenerations(own) {
    while (own === run && isWanted()) {
        const made = await own.next(playSeen);
        const best = { genome: made.mean, king: made.king, generation: made.generation };
        const rating = await rate(best);
        if (own === run) {
            champion = best;
            rated.push(rating);
            const { seed, generation, mean, steps, king } = run;
            state = { run: { seed, generation, mean, steps, king }, champion };
            drawRun();
            waiting = waiting.filter((one) => best.generation < one.generation || one.resolve());
        }
    }
    if (own === run) {
        busy = false;
        drawTale();
    }
}

/** Play the games of a generation, some of which are shown. */
async function playSeen(games) {
    const { generation } = run;
    // One game of each of the first pairs.
    const seen = (index) => games.length > 2 && index % 2 === 0 && index < 2 * SEEN_BOARDS;
    const outcomes = await crew.play(games.map((one, index) => ({ ...one, keep: seen(index) })));
    if (games.length > 2) {
        coming = { generation, games: outcomes.filter((_, index) => seen(index)), frame: 0 };
    }
    return outcomes;
}

/** Return when a generation is there, or when the person has waited long enough. */
function wait(generation) {
    return new Promise((resolve) => {
        setTimeout(resolve, PATIENCE);
        if (champion.generation >= generation) {
            resolve();
        } else {
            waiting.push({ generation, resolve });
        }
    });
}

/** Begin a search: for the player's own move, or for a hint; its own move comes after the generations owed for it. */
async function think() {
    game.thinking = true;
    task += 1;
    const number = task;
    if (current().side !== game.person) {
        const owed = target;
        if (game.texts.length > 0) {
            target = Math.min(Math.max(target, run.generation) + pace(), run.generation + MOST_OWED * pace());
            moments.push(champion.generation);
            evolve();
        }
        say(`${element("status").textContent} It evolves.`);
        await wait(Number.isFinite(owed) ? owed - 1 : 0);
        if (number !== task) {
            return;
        }
    }
    const [move, ...others] = legalMoves(current());
    if (others.length === 0) {
        settle(move);
        return;
    }
    const { genome, king, generation } = champion;
    const earlier = game.positions.slice(0, -1);
    const result = await crew.ask({ genome, king, position: current(), earlier, limits: data.limits }, true);
    if (number === task && result !== null) { // null: a value that is not finite, which weights of this size never give
        describe(result);
        element("thoughts").textContent = `Generation ${generation} answered. ${element("thoughts").textContent}`;
        settle(legalMoves(current()).find(({ text }) => text === result.move));
    }
}

/** Forget a search that is going on. */
function stop() {
    task += 1;
    game.thinking = false;
}

/* ---- an estimate of the rating, from games against known opponents ---- */

/** Return the rating of a champion after two games with one of the known opponents that are near its last rating. */
async function rate({ genome, king, generation }) {
    const last = rated.length > 0 ? rated[rated.length - 1].rating : data.anchors[0].rating;
    const stream = run.stream(generation, DRAW.rating);
    const near = [...data.anchors].sort((a, b) => Math.abs(a.rating - last) - Math.abs(b.rating - last));
    const { rating, depth } = near[generation % 2];
    const opponent = depth === 0 ? { lots: Array.from({ length: 99 }, () => stream.below(2520)) } : { depth };
    const player = { genome, king, depth: data.rated_depth };
    const ballot = stream.below(data.ballot_count);
    const [first, second] = await crew.play([
        { black: player, white: opponent, ballot },
        { black: opponent, white: player, ballot },
    ]);
    const games = [first.result, -second.result].map((result) => ({ rating, score: (1 + result) / 2 }));
    return { games, ...estimate([...rated.slice(1 - RATED_OVER).flatMap((one) => one.games), ...games]) };
}

/** Return the rating that explains scores best, with its 95 % interval; one drawn game is added, so that it is finite. */
function estimate(games) {
    const all = [...games, { rating: Math.min(...games.map(({ rating }) => rating)), score: 0.5 }];
    const expected = (rating) => all.map((one) => 1 / (1 + 10 ** ((one.rating - rating) / 400)));
    const scored = all.reduce((sum, { score }) => sum + score, 0);
    let [low, high] = [-4000, 4000];
    for (let step = 0; step < 40; step++) {
        const middle = (low + high) / 2;
        [low, high] = expected(middle).reduce((sum, one) => sum + one, 0) < scored ? [middle, high] : [low, middle];
    }
    const information = expected(low).reduce((sum, one) => sum + one * (1 - one), 0) * (Math.LN10 / 400) ** 2;
    const half = 1.96 / Math.sqrt(information);
    return { rating: low, low: low - half, high: low + half };
}

/* ---- what can be seen of it ---- */

const eloText = (rating) => (rating + data.zero < 0 ? "below 0" : `${Math.round((rating + data.zero) / 10) * 10}`);

/** Say how strong it is. */
function drawTale() {
    const { generation } = champion;
    if (rated.length === 0) {
        return;
    }
    const now = data.levels.filter((level) => level.rating <= rated[generation].low).pop();
    const text = now ? `It is rated above ${now.name} by a few games` : "It plays like random moves";
    const rest = ending() !== "" ? " Begin another game: it goes on evolving." : !busy ? " It waits for your move." : "";
    element("tale").textContent = `Generation ${generation}. ${text}.${rest}`;
}

/** Say when it passed the highest of the levels below it: when the lower end of the estimate did. */
function passedText() {
    const passed = data.levels.map(({ name, rating }) => [name, rated.findIndex((one) => one.low >= rating)]);
    const [name, at] = passed.findLast((one) => one[1] >= 0) ?? ["no level", -1];
    return at < 0 ? "It has passed no level yet." : `It passed ${name} in generation ${at}.`;
}

/** Show the newest generation: the sentence and the curve; before the first one, the levels that it races to. */
function drawRun() {
    const { rating, low, high } = rated[rated.length - 1] ?? {};
    const about = `About ${eloText(rating)} Elo (${eloText(low)} to ${eloText(high)}), an estimate`;
    const shown = (part) => rated.map((one) => clip(one[part] + data.zero, ...data.range));
    const place = element("race");
    drawTale();
    place.replaceChildren();
    drawChart(place, {
        title: rated.length > 0 ? about : "The race begins",
        curves: [{ values: shown("rating"), low: shown("low"), high: shown("high") }],
        xs: rated.map((_, index) => index),
        range: data.range,
        says: (index) => rated.length === 0 ? "" : `Generation ${index}${moments.includes(index) ? ", your move" : ""}: about ${eloText(rated[index].rating)} Elo.`,
        rest: passedText(),
        height: 360,
        lines: data.levels.map((one) => ({ value: one.rating + data.zero, text: one.name[0].toUpperCase() + one.name.slice(1) })),
        dots: moments.map((index) => ({ index, className: "moved" })),
    });
}

/** Draw the next position on each small board; the loser's pieces fade at the end, before newer games come. */
function stepGames() {
    const last = Math.max(0, ...arena.games.map(({ positions }) => positions.length - 1));
    if (still.matches) {
        arena.frame = Math.max(arena.frame, last);
    }
    if ((arena.frame > last + PAUSE || arena.generation < 0) && coming !== arena) {
        arena = coming;
        element("arena").hidden = false;
        element("arena-title").textContent = `Games of generation ${arena.generation}`;
    }
    [...element("arena").children].forEach((canvas, index) => {
        const { positions, result } = arena.games[index] ?? { positions: [START], result: 0 };
        const end = positions.length - 1;
        if (arena.frame <= end + 1) {
            drawBoard(canvas.getContext("2d"), positions[Math.min(arena.frame, end)], arena.frame > end ? result : 0);
        }
    });
    arena.frame += 1;
}

function drawBoard(context, { black, white, kings }, result) {
    const size = SQUARE;
    const style = getComputedStyle(document.documentElement);
    const ink = (name) => style.getPropertyValue(`--${name}`);
    for (let place = 0; place < 64; place++) {
        const [row, column] = [place >> 3, place & 7];
        const dark = (row + column) % 2 === 1;
        context.fillStyle = ink(dark ? "square-dark" : "square-light");
        context.fillRect(column * size, row * size, size, size);
        const bit = dark ? 1 << (4 * row + (column >> 1)) : 0;
        if (((black | white) & bit) !== 0) {
            const isBlack = (black & bit) !== 0;
            context.globalAlpha = result === 0 || (result > 0) === isBlack ? 1 : 0.35;
            context.fillStyle = ink(isBlack ? "black-face" : "white-face");
            context.beginPath();
            context.arc((column + 0.5) * size, (row + 0.5) * size, 0.4 * size, 0, 7);
            context.fill();
            if ((kings & bit) !== 0) {
                context.fillStyle = ink(isBlack ? "black-crown" : "white-crown");
                context.beginPath();
                context.arc((column + 0.5) * size, (row + 0.5) * size, 0.22 * size, 0, 7);
                context.fill();
            }
            context.globalAlpha = 1;
        }
    }
}

/* ---- files ---- */

/** Return the page with the run as it is now. */
function pageText() {
    const { run, champion } = state;
    const copy = run && {
        run: { ...run, mean: [...run.mean], steps: [...run.steps] },
        champion: { ...champion, genome: [...champion.genome] },
        // Games are needed for the next estimates alone, and a long run must not make a large page.
        rated: rated.slice(0, champion.generation + 1).map(({ games, rating, low, high }, index) => {
            const [middle, least, most] = [rating, low, high].map(Math.round);
            const isNew = index > champion.generation - RATED_OVER;
            return { games: isNew ? games : [], rating: middle, low: least, high: most };
        }),
        moments,
    };
    const begin = SOURCE.indexOf(RUN) + RUN.length;
    const end = SOURCE.indexOf("\x3c/script>", begin);
    return `<!DOCTYPE html>\n${SOURCE.slice(0, begin)}${JSON.stringify(copy ?? state)}${SOURCE.slice(end)}\n`;
}

/* ---- begin ---- */

/** Begin a run, or go on with one that was saved. */
function beginRun(normals, saved) {
    const floats = (values) => values && Float32Array.from(values);
    const { run: begun, champion: best } = saved;
    run = new Evolution(data, normals, { ...begun, mean: floats(begun.mean), steps: floats(begun.steps) });
    champion = best ? { ...best, genome: floats(best.genome) } : { genome: run.mean, king: run.king, generation: 0 };
    [rated, moments] = [saved.rated ?? [], saved.moments ?? []];
    state = best ? { run: { ...begun, mean: run.mean, steps: run.steps }, champion } : saved;
    target = run.generation + Math.min(pace(), PACES[1]);
    busy = false;
    drawRun();
    element("help").textContent = `Seed ${run.seed}. A saved page goes on where you left it.`;
    evolve();
}

async function begin() {
    for (const number of PACES) {
        const text = Number.isFinite(number) ? `${number} generations` : "as many as fit";
        element("pace").append(new Option(text));
    }
    element("pace").selectedIndex = 1;
    element("pace").addEventListener("change", () => {
        target = run.generation + pace();
        evolve();
    });
    for (let index = 0; index < SEEN_BOARDS; index++) {
        const canvas = document.createElement("canvas");
        canvas.width = canvas.height = 8 * SQUARE;
        element("arena").append(canvas);
    }
    const normals = normalLayers([...new Float64Array(await unpack(data.widths))]);
    const count = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
    crew = new Crew(data, count);
    connectBoard();
    element("send").addEventListener("click", () => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([pageText()], { type: "text/html" }));
        link.download = `evolving-${champion.generation}.html`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        element("help").textContent =
            `It goes on evolving wherever you open it. In Crownhead: python main.py play ${link.download}`;
    });
    element("again").addEventListener("click", () => {
        beginRun(normals, { run: { seed: `${Math.floor(Math.random() * TWO_32)}` } });
        newGame(game.person);
    });
    for (const input of ["visibilitychange", "pointerdown", "keydown"]) {
        document.addEventListener(input, () => {
            touched = performance.now();
            evolve();
        });
    }
    setInterval(stepGames, FRAME);
    beginRun(normals, JSON.parse(element("run").textContent));
    newGame(BLACK);
}

begin();
