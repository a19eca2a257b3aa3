/* What the scripts of all pages share. */
"use strict";

const element = (id) => document.getElementById(id);
const COLOURS = ["Black", "White"];

/** Make an element with a text as the last child of another one. */
function made(tag, text, parent) {
    const one = document.createElement(tag);
    one.textContent = text;
    parent.append(one);
    return one;
}

/** Return a worker that runs the engine of the page, and then a script, in which DATA stands for data. */
function engineWorker(script, data) {
    const source = element("engine").textContent + script.replace("DATA", () => data);
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    return worker;
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
