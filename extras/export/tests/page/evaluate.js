/* Evaluates code with the engine of a page in Node, for tests: node evaluate.js PAGE.html, with the code on stdin. It is the
 * body of an async function that has the page's `data`; what it returns goes to stdout as JSON.
 */
"use strict";

const fs = require("fs");
const vm = require("vm");

const page = fs.readFileSync(process.argv[2], "utf8");
const script = (id) => page.split(`id="${id}">`)[1].split("</script>")[0];
const code = `${script("engine")}\n(async () => { const data = ${script("player")};\n${fs.readFileSync(0, "utf8")}\n})()`;
vm.runInThisContext(code).then((result) => process.stdout.write(JSON.stringify(result)));
