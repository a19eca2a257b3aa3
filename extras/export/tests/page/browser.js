/* Opens a page in headless Chromium and evaluates expressions in it, one after the other, for tests.
 *
 * node browser.js CHROMIUM PAGE.html PROFILE STEPS.json: a step is {run: expression, whose promise is awaited},
 * {size: [width, height]}, {picture: file}, {key: name of a key}, {tap: selector of what a finger taps} or {wait:
 * expression that becomes true}. The results of `run`, and all errors of the page and addresses that it asked for, go to
 * stdout as JSON. The browser is driven through its debugging pipe.
 */
"use strict";

const { spawn } = require("child_process");
const fs = require("fs");
const { pathToFileURL } = require("url");

const [chromium, page, profile, steps] = process.argv.slice(2);
const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"];
const browser = spawn(chromium, [...options, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});
const KEYS = { Enter: 13, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
const waiting = new Map();
const errors = [];
const addresses = [];
let sent = 0;
let rest = "";

browser.stdio[4].on("data", (bytes) => {
    const messages = (rest + bytes).split("\0");
    rest = messages.pop();
    for (const { id, method, params, result, error } of messages.map((text) => JSON.parse(text))) {
        if (id !== undefined) {
            waiting.get(id)(error ? Promise.reject(new Error(error.message)) : result);
        } else if (method === "Runtime.exceptionThrown") {
            errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        } else if (method === "Log.entryAdded" && params.entry.level === "error") {
            errors.push(params.entry.text);
        } else if (method === "Page.javascriptDialogOpening") {
            errors.push(`dialog: ${params.message}`);
        } else if (method === "Network.requestWillBeSent") {
            addresses.push(params.request.url);
        }
    }
});

function send(method, params = {}, sessionId = undefined) {
    sent += 1;
    browser.stdio[3].write(JSON.stringify({ id: sent, method, params, sessionId }) + "\0");
    return new Promise((resolve) => waiting.set(sent, resolve));
}

async function main() {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const tell = (method, params) => send(method, params, sessionId);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) {
        await tell(`${domain}.enable`);
    }
    const evaluate = async (expression) => {
        const options = { expression, awaitPromise: true, returnByValue: true };
        const { result, exceptionDetails } = await tell("Runtime.evaluate", options);
        if (exceptionDetails) {
            throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        }
        return result.value;
    };
    const until = async (expression) => {
        const end = Date.now() + 120000;
        while (!(await evaluate(expression))) {
            if (Date.now() > end) {
                throw new Error(`waited in vain for ${expression}`);
            }
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
    };
    await tell("Page.navigate", { url: pathToFileURL(page).href });
    await until("document.readyState === 'complete'");
    const results = [];
    for (const step of JSON.parse(fs.readFileSync(steps, "utf8"))) {
        if (step.size) {
            const [width, height] = step.size;
            await tell("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
        } else if (step.key) {
            const key = { key: step.key, code: step.key, windowsVirtualKeyCode: KEYS[step.key] };
            const text = step.key === "Enter" ? { text: "\r" } : {};
            await tell("Input.dispatchKeyEvent", { type: "keyDown", ...key, ...text });
            await tell("Input.dispatchKeyEvent", { type: "keyUp", ...key });
        } else if (step.tap) {
            await tell("Emulation.setTouchEmulationEnabled", { enabled: true });
            const box = `document.querySelector(${JSON.stringify(step.tap)}).getBoundingClientRect()`;
            const [x, y] = await evaluate(`((box) => [box.x + box.width / 2, box.y + box.height / 2])(${box})`);
            await tell("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
            await tell("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        } else if (step.wait) {
            await until(step.wait);
        } else if (step.picture) {
            const { data } = await tell("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
            fs.writeFileSync(step.picture, Buffer.from(data, "base64"));
        } else {
            results.push(await evaluate(step.run));
        }
    }
    process.stdout.write(JSON.stringify({ results, errors, addresses }));
}

main()
    .catch((error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exitCode = 1;
    })
    .finally(() => browser.kill());
