/* A recorded game, position by position, with its notes and marks. */
"use strict";

const data = JSON.parse(document.getElementById("game").textContent);
const element = (id) => document.getElementById(id);
const COLOURS = ["Black", "White"];
const MISTAKES = ["?", "??"];

let ply = 0;
let whiteBelow = false;

/** Write the position after `ply` moves: board, its squares in words, status, notes. */
function draw() {
    const { black, white, kings } = data.positions[ply];
    const path = ply === 0 ? [] : data.moves[ply - 1].path;
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
        cell.className = path.includes(square) ? "dark last" : "dark";
        const piece = document.createElement("span");
        const side = black.includes(square) ? 0 : white.includes(square) ? 1 : -1;
        const king = kings.includes(square);
        piece.className = side < 0 ? "number" : side === 0 ? "piece" : "piece white";
        piece.textContent = side < 0 ? square : king ? "♛" : "";
        cell.append(piece);
        if (side >= 0) {
            said.push([square, `${COLOURS[side]} ${king ? "king" : "man"} on ${square}`]);
        }
    }
    said.sort(([first], [second]) => first - second);
    board.setAttribute("aria-label", said.map(([, text]) => text).join(", "));
    element("status").textContent = statusText();
    const notes = element("thoughts");
    notes.replaceChildren();
    for (const text of data.notes[ply]) {
        const note = document.createElement("p");
        note.textContent = text;
        notes.append(note);
    }
    for (const button of document.querySelectorAll("#moves button")) {
        const here = Number(button.dataset.ply) === ply;
        button.setAttribute("aria-current", here ? "step" : "false");
        if (here) { // scrolls the list, but not the page
            const list = element("moves");
            list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
        }
    }
    element("first").disabled = element("back").disabled = ply === 0;
    element("next").disabled = element("last").disabled = ply === data.moves.length;
    element("mistake").disabled = !data.moves.some(({ mark }) => MISTAKES.includes(mark));
}

function statusText() {
    const end = ply === data.moves.length ? ` ${data.result}` : "";
    if (ply === 0) {
        return `The first position.${end}`;
    }
    const { text, mark, number } = data.moves[ply - 1];
    return `${number} ${text}${mark}${MISTAKES.includes(mark) ? ", a mistake" : ""}.${end}`;
}

function go(target) {
    ply = Math.max(0, Math.min(target, data.moves.length));
    draw();
}

/** Go to the nearest mistake after (`step` 1) or before (-1) this position, around the ends of the game. */
function goToMistake(step) {
    const count = data.moves.length;
    const from = ply === 0 && step < 0 ? count : ply - 1;
    for (let away = 1; away <= count; away++) {
        const at = (((from + step * away) % count) + count) % count;
        if (MISTAKES.includes(data.moves[at].mark)) {
            go(at + 1);
            return;
        }
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
        arrowleft: () => go(ply - 1),
        arrowright: () => go(ply + 1),
        home: () => go(0),
        end: () => go(data.moves.length),
        m: () => goToMistake(event.shiftKey ? -1 : 1),
        f: turn,
    };
    const action = actions[event.key.toLowerCase()];
    if (action !== undefined) {
        event.preventDefault();
        action();
    }
}

function begin() {
    element("name").textContent = data.title;
    for (const [name, text] of data.tags) {
        const [term, description] = [document.createElement("dt"), document.createElement("dd")];
        term.textContent = name;
        description.textContent = text;
        element("facts").append(term, description);
    }
    data.moves.forEach(({ text, mark, number }, index) => {
        const [item, button] = [document.createElement("li"), document.createElement("button")];
        button.type = "button";
        button.dataset.ply = index + 1;
        button.textContent = `${number} ${text}${mark}`;
        button.addEventListener("click", () => go(index + 1));
        item.append(button);
        element("moves").append(item);
    });
    element("first").addEventListener("click", () => go(0));
    element("back").addEventListener("click", () => go(ply - 1));
    element("next").addEventListener("click", () => go(ply + 1));
    element("last").addEventListener("click", () => go(data.moves.length));
    element("mistake").addEventListener("click", () => goToMistake(1));
    element("turn").addEventListener("click", turn);
    document.addEventListener("keydown", onKey);
    draw();
}

begin();
