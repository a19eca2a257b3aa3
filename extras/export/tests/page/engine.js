/* Runs the engine of an exported page in Node, for tests: node engine.js PAGE.html JOBS.json; results go to stdout.
 *
 * Jobs are {perft: depth} or {fen, earlier: [fen], depth, nodes, goes_on}: the last continues the game of the job before it.
 */
"use strict";

const fs = require("fs");
const vm = require("vm");

const page = fs.readFileSync(process.argv[2], "utf8");
const script = (id) => page.split(`id="${id}">`)[1].split("</script>")[0];
const answer = fs.readFileSync(`${__dirname}/answer.js`, "utf8");
vm.runInThisContext(`${script("engine")}\n${answer}\nglobalThis.answerAll = answerAll;`);
const jobs = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));
globalThis.answerAll(JSON.parse(script("player")), jobs).then((answers) => process.stdout.write(JSON.stringify(answers)));
