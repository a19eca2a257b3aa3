/* Curves of several runs, with their values at the pointer. */
"use strict";

for (const { title, curves, lines } of JSON.parse(element("runs").textContent)) {
    const said = (index) => curves.filter(({ texts }) => texts[index]).map(({ name, texts }) => `${name} ${texts[index]}`);
    drawChart(element("curves"), {
        title,
        curves,
        lines,
        xs: curves[0].values.map((_, index) => index),
        says: (index) => `Generation ${index}: ${said(index).join(", ") || "no value"}`,
        height: 320,
    });
}
