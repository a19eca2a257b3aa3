/* Curves over whole numbers, with the values at the pointer. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 640;
const HEIGHT = 180;
const [LETTER, RIGHT, NAMES, TOP, BOTTOM] = [11, 24, 160, 16, 30]; // room for the large texts of phones
const COLOURED = 5;

function shape(name, attributes, text = undefined) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, value);
    }
    if (text !== undefined) {
        made.textContent = text;
    }
    return made;
}

/** Return round numbers between two values, about `most` of them. */
function ticks(low, high, most) {
    const rough = (high - low) / most || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999);
    const round = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at++) {
        round.push(at * step);
    }
    return round;
}

/**
 * Draw curves into an element; return a function that marks one x.
 *
 * `curves`: {values, low, high, name}, with null for gaps; `low` and `high` are the edges of a band, and several curves
 * have names. `xs`: the number at each place. `range`: the ends of the y axis, if they are fixed. `says(index)`: the text at the pointer; `rest`: the text
 * without one. `pick(index)`: called for a click. `dots`: {index, className}. `lines`: {value, text}, levels with names.
 */
function drawChart(place, { title, curves, xs, range, says, rest = "", pick, dots = [], lines = [], height = HEIGHT }) {
    const numbers = curves.flatMap(({ values, low, high }) => [...values, ...(low ?? []), ...(high ?? [])]);
    const known = [...(lines.length > 0 ? [0, 2500] : []), ...numbers.filter((value) => value !== null)]; // whole races
    let [least, most] = range ?? [Math.min(...known), Math.max(...known)];
    if (known.length === 0) {
        [least, most] = [0, 1];
    } else if (least === most) {
        [least, most] = [least - 1, most + 1];
    }
    const count = xs.length;
    const written = (value) => Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 });
    const texts = ticks(least, most, 4).map((value) => [value, written(value).replace("-", "−")]);
    const left = LETTER * (1 + Math.max(...texts.map(([, text]) => text.length)));
    const right = lines.length > 0 ? NAMES : RIGHT;
    const x = (index) => left + ((WIDTH - left - right) * index) / Math.max(count - 1, 1);
    const y = (value) => TOP + ((height - TOP - BOTTOM) * (most - value)) / (most - least);
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title });
    for (const [value, text] of texts) {
        svg.append(shape("line", { class: "grid", x1: left, x2: WIDTH - right, y1: y(value), y2: y(value) }));
        svg.append(shape("text", { x: 0, y: y(value) + 4 }, text));
    }
    const steps = new Set(ticks(0, Math.max(count - 1, 1), 8).map(Math.round));
    for (const index of steps) {
        if (index < count) {
            svg.append(shape("text", { x: x(index), y: height - 6, "text-anchor": "middle" }, xs[index]));
        }
    }
    const legend = made("p", "", document.createElement("div"));
    legend.className = "legend";
    curves.forEach(({ values, low, high, name }, number) => {
        const style = name === undefined ? "" : `color: var(--plot-${number % COLOURED})`;
        const dashes = 6 * Math.floor(number / COLOURED);
        const there = [...values.keys()].filter((index) => values[index] !== null);
        if (name !== undefined && there.length > 0) {
            made("span", name, legend).style = style;
        }
        if (low && high) {
            const inside = there.filter((index) => low[index] !== null && high[index] !== null);
            const edge = (row, indexes) => indexes.map((index) => `${x(index)},${y(row[index])}`);
            const points = [...edge(high, inside), ...edge(low, [...inside].reverse())].join(" ");
            svg.append(shape("polygon", { class: "band", style, points }));
        }
        const points = there.map((index) => `${x(index)},${y(values[index])}`).join(" ");
        svg.append(shape("polyline", { class: "curve", style, points, "stroke-dasharray": dashes }));
        if (there.length === 1) {
            svg.append(shape("circle", { class: "dot", style, cx: x(there[0]), cy: y(values[there[0]]), r: 3 }));
        }
    });
    for (const { index, className } of dots) {
        const value = curves[0].values[index];
        if (value !== null) {
            svg.append(shape("circle", { class: `dot ${className}`, cx: x(index), cy: y(value), r: 4 }));
        }
    }
    for (const { value, text } of lines) {
        svg.append(shape("line", { class: "level", x1: left, x2: WIDTH - right, y1: y(value), y2: y(value) }));
        svg.append(shape("text", { x: WIDTH - right + LETTER, y: y(value) + 4 }, text));
    }
    const marker = shape("line", { class: "marker", y1: TOP, y2: height - BOTTOM, visibility: "hidden" });
    const pointer = shape("line", { class: "pointer", y1: TOP, y2: height - BOTTOM, visibility: "hidden" });
    svg.append(marker, pointer);
    const said = document.createElement("span");
    said.className = "said";
    said.textContent = rest;
    const figure = document.createElement("figure");
    const caption = made("figcaption", title, figure);
    caption.append(said);
    figure.append(svg, ...(legend.firstChild ? [legend] : []));
    place.append(figure);
    let marked = -1;
    const show = (index) => {
        said.textContent = index < 0 ? rest : says(index);
    };
    const indexAt = (event) => {
        const box = svg.getBoundingClientRect();
        const share = (((event.clientX - box.left) / box.width) * WIDTH - left) / (WIDTH - left - right);
        return Math.max(0, Math.min(count - 1, Math.round(share * (count - 1))));
    };
    svg.addEventListener("pointermove", (event) => {
        const index = indexAt(event);
        pointer.setAttribute("x1", x(index));
        pointer.setAttribute("x2", x(index));
        pointer.setAttribute("visibility", "visible");
        show(index);
    });
    svg.addEventListener("pointerleave", () => {
        pointer.setAttribute("visibility", "hidden");
        show(marked);
    });
    if (pick) {
        svg.addEventListener("click", (event) => pick(indexAt(event)));
    }
    return (index) => {
        marked = index;
        marker.setAttribute("x1", x(Math.max(index, 0)));
        marker.setAttribute("x2", x(Math.max(index, 0)));
        marker.setAttribute("visibility", index < 0 ? "hidden" : "visible");
        show(index);
    };
}
