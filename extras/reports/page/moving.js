/* A run, generation by generation: its champions, their games, and curves. */
"use strict";

const data = JSON.parse(document.getElementById("run").textContent);
const MOST_DOTS = 40;
const BESIDE = 3; // curves in the place of a champion that a page cannot play

let generation = data.newest;
let marks = [];
let playing = ""; // the generation on the board
let other = null; // the button that puts another one there

/** Return the last of the listed generations up to this one; "" if there is none. */
function lastBefore(listed) {
    const before = Object.keys(listed).map(Number).filter((each) => each <= generation);
    return before.length === 0 ? "" : String(Math.max(...before));
}

/** Open the page of a champion inside this one: the engine is there once, for all champions. */
function play(of) {
    const safe = JSON.stringify(data.players[of]).replaceAll("<", "\\u003c");
    const frame = document.createElement("iframe");
    frame.title = `Play against the champion of generation ${of}`;
    frame.setAttribute("sandbox", "allow-scripts");
    const style = document.querySelector("style").textContent;
    frame.srcdoc = data.page.replace("{{STYLE}}", () => style).replace("{{PLAYER}}", () => safe);
    element("play").firstChild.replaceChildren(frame);
    playing = of;
    other.hidden = true;
}

function draw() {
    element("generation").value = generation;
    element("earlier").disabled = generation === 0;
    element("later").disabled = generation === data.newest;
    const of = lastBefore(data.players);
    if (other !== null) {
        other.textContent = `Play against generation ${of} instead`;
        other.hidden = of === "" || of === playing;
    }
    marks.forEach((mark) => mark(generation));
}

function choose(number) {
    generation = Math.max(0, Math.min(number, data.newest));
    draw();
}

function begin() {
    const slider = element("generation");
    slider.max = data.newest;
    slider.addEventListener("input", () => choose(Number(slider.value)));
    element("earlier").addEventListener("click", () => choose(generation - 1));
    element("later").addEventListener("click", () => choose(generation + 1));
    const numbers = Array.from({ length: data.newest + 1 }, (_, index) => index);
    const full = element("race").previousElementSibling ? 300 : element("race").clientWidth > 600 ? 540 : 400;
    marks = data.curves.map(({ title, values, low, high, texts }, place) => {
        const known = numbers.filter((index) => values[index] !== null);
        return drawChart(element(place === 0 ? "race" : "curves"), {
            title,
            curves: [{ values, low, high }],
            xs: numbers,
            says: (index) => `Generation ${index}: ${texts[index] || (low === undefined ? "no value" : "not rated")}`,
            pick: choose,
            dots: known.length > MOST_DOTS ? [] : known.map((index) => ({ index, className: "rated" })),
            height: place > 0 ? undefined : full,
            lines: low === undefined ? [] : data.levels,
        });
    });
    element("curves").querySelectorAll("figure").forEach((figure) => figure.classList.add("wide"));
    const newest = lastBefore(data.players);
    if (newest === "") {
        element("play").append(...[...element("curves").children].slice(0, BESIDE));
        made("p", data.unplayable, element("play")).className = "faint";
    } else {
        other = document.createElement("button");
        other.type = "button";
        other.addEventListener("click", () => play(lastBefore(data.players)));
        element("play").append(document.createElement("div"), other);
        play(newest);
    }
    element("curves-title").hidden = element("curves").childElementCount === 0;
    draw();
}

begin();
