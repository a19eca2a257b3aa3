/* What the scripts of all pages share. */
"use strict";

const element = (id) => document.getElementById(id);
const COLOURS = ["Black", "White"];

/** Make an element with a text as the last child of another one. */
function made(tag, text, parent) {
    const one = document.createElement(tag);
    one.textContent = text.replaceAll(" %", "\u00a0%");
    parent.append(one);
    return one;
}

/** Return a text with captures as people write them. */
const withMoves = (text) => text.replace(/(\d)x(?=\d)/g, "$1×");

/** Write moves in pairs, each as an element `tag`; return these. `first`: the side of the first move. */
function listMoves(moves, first, tag) {
    const list = element("moves");
    list.replaceChildren();
    return moves.map((text, index) => {
        const side = (index + first) % 2;
        if (index === 0 || side === 0) {
            made("li", `${Math.floor((index + first) / 2) + 1}.`, list).className = "faint";
        }
        const item = made("li", "", list);
        item.className = COLOURS[side].toLowerCase();
        return made(tag, withMoves(text), item);
    });
}

/** Show how many pieces each side has lost. */
function showTaken(numbers) {
    element("taken").replaceChildren();
    numbers.forEach((number, side) => {
        const row = made("span", "", element("taken"));
        Object.assign(row, { role: "img", ariaLabel: `${COLOURS[side]} has lost ${number}` });
        row.append(...Array.from({ length: number }, () => squareContents(0, side, false)[1]));
    });
}

/** Return a worker that runs the engine of the page, and then a script, in which DATA stands for data. */
function engineWorker(script, data) {
    const source = element("engine").textContent + script.replace("DATA", () => data);
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    try {
        return new Worker(address);
    } catch (error) { // a worker that fails at its first task, so that the page says why
        return { postMessage() { setTimeout(() => this.onerror(error)); }, terminate() {} };
    } finally {
        URL.revokeObjectURL(address);
    }
}

/** Write facts as terms and descriptions. */
function listFacts(list, facts) {
    list.replaceChildren();
    for (const [name, text] of facts) {
        made("dt", name, list);
        made("dd", text, list);
    }
}

/** Return the number of a dark square and the piece on it, if its side is 0 or 1. */
function squareContents(square, side, king) {
    const [number, piece] = ["span", "span"].map((tag) => document.createElement(tag));
    number.className = "number";
    number.textContent = square;
    piece.className = `piece${side === 1 ? " white" : ""}${king ? " king" : ""}`;
    number.ariaHidden = piece.ariaHidden = "true";
    return side < 0 ? [number] : [number, piece];
}
