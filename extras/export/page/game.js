/* A recorded game, position by position, with its notes and marks; a reviewed one with better lines and a curve. */
"use strict";

const game = JSON.parse(document.getElementById("game").textContent);
const MISTAKES = { "?": "a mistake", "??": "a blunder" };
const JUDGED = /^(Inaccurate|Mistake|Blunder)[,:] /;

let ply = 0;
let line = null; // {moves, at}: the better line that is on the board in place of the game
let whiteBelow = false;
let markPlace = () => {};

/** Return the position on the board, and the squares of the move that led to it. */
function shown() {
    if (line !== null && line.at > 0) {
        return line.moves[line.at - 1];
    }
    const at = line === null ? ply : ply - 1;
    return { position: game.positions[at], path: at === 0 ? [] : game.moves[at - 1].path };
}

/** Write the position: board, its squares in words, status, notes. */
function draw() {
    const { position, path } = shown();
    const { black, white, kings } = position;
    const board = element("board");
    board.replaceChildren();
    const said = [];
    for (let place = 0; place < 64; place++) {
        const [row, column] = [place >> 3, place & 7];
        const cell = document.createElement("span");
        board.append(cell);
        if ((row + column) % 2 === 0) {
            continue;
        }
        const seen = 4 * row + (column >> 1) + 1;
        const square = whiteBelow ? seen : 33 - seen;
        cell.className = path[0] === square ? "dark from" : path.includes(square) ? "dark last" : "dark";
        cell.classList.toggle("better", line?.at > 0 && path.includes(square));
        const side = black.includes(square) ? 0 : white.includes(square) ? 1 : -1;
        const king = kings.includes(square);
        cell.append(...squareContents(square, side, king));
        if (side >= 0) {
            said.push([square, `${COLOURS[side]} ${king ? "king" : "man"} on ${square}`]);
        }
    }
    drawArrows(board);
    said.sort(([first], [second]) => first - second);
    board.setAttribute("aria-label", said.map(([, text]) => text).join(", "));
    element("status").textContent = withMoves(statusText());
    element("status").className = line === null && ply > 0 && game.moves[ply - 1].mark in MISTAKES ? "lost" : "";
    const [first] = game.positions;
    showTaken([first.black.length - black.length, first.white.length - white.length]);
    const notes = element("thoughts");
    notes.replaceChildren();
    for (const text of game.notes[ply]) {
        writeNote(withMoves(text).replace(/(\d-)(?=\d)/g, "$1\u2060"), notes); // no line breaks within a move
    }
    for (const button of document.querySelectorAll("#moves button")) {
        const here = Number(button.dataset.ply) === ply;
        button.setAttribute("aria-current", here ? "step" : "false");
        if (here) { // scrolls the list, but not the page
            const list = element("moves");
            list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
        }
    }
    const [start, end] = line === null ? [ply === 0, ply === game.moves.length] : [false, line.at === line.moves.length];
    element("first").disabled = element("back").disabled = start;
    element("next").disabled = element("last").disabled = end;
    element("better").disabled = !hasLine();
    element("better").setAttribute("aria-pressed", line !== null);
    markPlace(ply);
}

/** Draw the move that was played and the better one; after the former, the reply that refutes it. */
function drawArrows(board) {
    if (!hasLine() || line?.at > 0) {
        return;
    }
    const { path, better } = game.moves[ply - 1];
    const reply = game.notes[ply].join(" ").match(/refuted by ([\dx-]+)/);
    const bad = line !== null ? path : reply === null ? [] : reply[1].split(/\D/).map(Number);
    const svg = shape("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" });
    for (const [squares, name] of [[bad, "bad"], [better[0].path, "good"]]) {
        const points = squares.map((square) => {
            const seen = whiteBelow ? square - 1 : 32 - square;
            return [2 * (seen & 3) + 1.5 - ((seen >> 2) & 1), (seen >> 2) + 0.5];
        });
        if (points.length > 0) {
            const [[fromX, fromY], [x, y]] = points.slice(-2);
            const [dx, dy] = [Math.sign(x - fromX) / 5, Math.sign(y - fromY) / 5]; // half of the head, which is slender
            points[points.length - 1] = [x - dx, y - dy];
            const sides = [[-dy, dx], [dy, -dx]].map(([u, v]) => [x - dx + 0.8 * u, y - dy + 0.8 * v]);
            const head = [[x + dx / 2, y + dy / 2], ...sides];
            const arrow = shape("g", { class: name });
            arrow.append(shape("polyline", { points: points.join(" ") }), shape("polygon", { points: head.join(" ") }));
            svg.append(arrow);
        }
    }
    board.append(svg);
}

/** Write a note; that of a review in lines, without the better moves, which the board shows. */
function writeNote(text, place) {
    if (!JUDGED.test(text)) {
        if (!(hasLine() && text.startsWith("("))) {
            made("p", text, place);
        }
        return;
    }
    const [judgement, ...others] = text.split("; ");
    const [head, ...chances] = judgement.split(", ");
    made("p", `${head}.`, place).className = "head";
    for (const text of others) {
        made("p", `${text[0].toUpperCase()}${text.slice(1)}.`, place).className = text.split(" ")[0];
    }
    writeChances(chances.join(", "), place);
}

/** Write chances before and after a move as a table, and words, as on certain results, as they are. */
function writeChances(text, place) {
    const found = text.matchAll(/win (.+?), draw (.+?), loss (.+?) (before|after)/g);
    const rows = [...found].map(([, win, draw, loss, when]) => [when, win, draw, loss]);
    if (rows.length < 2) {
        made("p", text, place).className = "faint";
        return;
    }
    const table = made("table", "", place);
    for (const cells of [[COLOURS[(ply - 1 + game.first) % 2], "win", "draw", "loss"], ...rows]) {
        const row = made("tr", "", table);
        cells.forEach((cell) => made(rows.includes(cells) ? "td" : "th", cell, row));
    }
}

function statusText() {
    if (line !== null) {
        const { text, mark, number } = game.moves[ply - 1];
        const moves = line.moves.slice(0, line.at).map((move) => move.text).join(" ");
        return moves === "" ? `Instead of ${number} ${text}${mark}` : `Better than ${text}: ${number} ${moves}`;
    }
    const end = ply === game.moves.length ? ` ${game.result}` : "";
    if (ply === 0) {
        return `${COLOURS[game.first]} begins.${end}`;
    }
    const { text, mark, number } = game.moves[ply - 1];
    return `${number} ${text}${mark}${mark in MISTAKES ? `, ${MISTAKES[mark]}` : ""}.${end}`;
}

function go(target) {
    line = null;
    ply = Math.max(0, Math.min(target, game.moves.length));
    draw();
}

/** Go one move on (1) or back (-1), in the game or in the better line; back from its beginning leaves it. */
function step(by) {
    if (line === null) {
        go(ply + by);
    } else if (line.at + by < 0) {
        go(ply);
    } else {
        line.at = Math.min(line.at + by, line.moves.length);
        draw();
    }
}

/** Go to the end of the better line that is on the board, else to that of the game. */
function goToEnd() {
    step(line === null ? game.moves.length : line.moves.length);
}

/** Go to the nearest mistake after (`by` 1) or before (-1) this position, around the ends of the game. */
function goToMistake(by) {
    const count = game.moves.length;
    const from = ply === 0 && by < 0 ? count : ply - 1;
    for (let away = 1; away <= count; away++) {
        const at = (((from + by * away) % count) + count) % count;
        if (game.moves[at].mark in MISTAKES) {
            go(at + 1);
            return;
        }
    }
}

function hasLine() {
    return ply > 0 && game.moves[ply - 1].better.length > 0;
}

/** Show the first move of the better line, or return to the game. */
function switchLine() {
    if (line !== null) {
        go(ply);
    } else if (hasLine()) {
        line = { moves: game.moves[ply - 1].better, at: 1 };
        draw();
    }
}

function turn() {
    whiteBelow = !whiteBelow;
    draw();
}

function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
        return;
    }
    const actions = {
        arrowleft: () => step(-1),
        arrowright: () => step(1),
        home: () => go(0),
        end: goToEnd,
        m: () => goToMistake(event.shiftKey ? -1 : 1),
        b: switchLine,
        f: turn,
    };
    const action = actions[event.key.toLowerCase()];
    if (action !== undefined) {
        event.preventDefault();
        action();
    }
}

function chanceText(index) {
    const after = index > 0 ? `after ${game.moves[index - 1].number} ${withMoves(game.moves[index - 1].text)}` : "at first";
    return game.chances[index] === null ? "" : `${game.chances[index]}\u00a0% ${after}`;
}

/** Write what stays the same, then the first position or, of a review, the first mistake. */
function showGame() {
    for (const [side, [name, small, points]] of game.players.entries()) {
        const line = made("span", "", element("name"));
        made("small", small, made("span", name, line)).className = "faint";
        line.className = `side ${COLOURS[side].toLowerCase()}`;
        made("b", points, line);
    }
    const day = (date) => new Date(`${date.replaceAll(".", "-")}T00:00`).toLocaleDateString("en-GB", { dateStyle: "medium" });
    element("says").textContent = game.says.join(" · ").replace(/\b\d{4}\.\d\d\.\d\d\b/, day);
    listFacts(element("facts"), game.tags);
    element("facts").parentElement.hidden = game.tags.length === 0;
    element("mistake").hidden = !game.moves.some(({ mark }) => mark in MISTAKES);
    element("better").hidden = !game.moves.some(({ better }) => better.length > 0);
    const texts = game.moves.map(({ text, mark }) => `${text}${mark}`);
    listMoves(texts, game.first, "button").forEach((button, index) => {
        const { text, mark, number } = game.moves[index];
        button.type = "button";
        button.ariaLabel = `${number} ${text}${mark}`;
        button.classList.toggle("mistake", mark in MISTAKES);
        button.dataset.ply = index + 1;
        button.addEventListener("click", () => go(index + 1));
    });
    draw();
    if (game.chances.some((points) => points !== null)) {
        markPlace = drawChart(element("chances"), {
            title: "Black’s expected score",
            curves: [{ values: game.chances }],
            xs: game.positions.map((_, index) => Math.ceil((index + game.first) / 2)),
            range: [0, 100],
            says: chanceText,
            pick: go,
            height: 200,
            dots: [...game.moves.keys()]
                .filter((index) => game.moves[index].mark in MISTAKES)
                .map((index) => ({ index: index + 1, className: "mistake" })),
        });
        goToMistake(1);
    }
}

function begin() {
    element("first").addEventListener("click", () => go(0));
    element("back").addEventListener("click", () => step(-1));
    element("next").addEventListener("click", () => step(1));
    element("last").addEventListener("click", goToEnd);
    element("mistake").addEventListener("click", () => goToMistake(1));
    element("better").addEventListener("click", switchLine);
    element("turn").addEventListener("click", turn);
    document.addEventListener("keydown", onKey);
    showGame();
}

begin();
