/* The board of a page: a game of a person with mouse, touch or keyboard.
 *
 * The page says who plays against the person: `data.name` is its name, `think` begins a search for its move or for a hint,
 * which ends with `settle`, and `stop` forgets a search.
 */
"use strict";

const game = {
    positions: [START],
    texts: [],
    person: BLACK,
    turned: false, // whether the person's back row is at the top
    chosen: null, // squares of the move that the person has begun
    hint: null,
    thinking: false,
};

function current() {
    return game.positions[game.positions.length - 1];
}

/** Return why the game is over, as a sentence, or an empty text. */
function ending() {
    const position = current();
    if (legalMoves(position).length === 0) {
        const winner = 1 - position.side;
        return winner === game.person ? "You have won." : `${data.name} has won.`;
    }
    if (game.positions.filter((other) => isSamePosition(position, other)).length >= RULES.repetition) {
        return "A draw: the same position for the third time.";
    }
    return reversiblePlies(game.positions) >= RULES.quietPlies ? "A draw: forty moves by each side without progress." : "";
}

/** Return the legal moves that begin with the squares that the person has chosen. */
function begun() {
    const chosen = game.chosen || [];
    return legalMoves(current()).filter((move) => chosen.every((square, index) => move.path[index] === square));
}

function isPersonsTurn() {
    return current().side === game.person && ending() === "" && !game.thinking;
}

/** Play a move and, if the game goes on, let the other side think. */
function play(move) {
    game.positions.push(move.after);
    game.texts.push(move.text);
    game.chosen = null;
    game.hint = null;
    const mover = COLOURS[1 - current().side];
    const end = ending();
    say(`${mover} played ${spoken(move.text)}. ${end || (isPersonsTurn() ? turnText() : "")}`);
    if (end === "" && current().side !== game.person) {
        think();
    }
    draw();
}

function turnText() {
    const moves = legalMoves(current());
    return moves.length > 0 && moves[0].captures ? "You must capture." : "Your move.";
}

function spoken(text) {
    return text.replace(/x/g, " takes to ").replace(/-/g, " to ");
}

function say(text) {
    element("status").textContent = text;
}

/** End the search with its move: play it, or show it as a hint. */
function settle(move) {
    game.thinking = false;
    if (current().side === game.person) {
        game.hint = move.path;
        say(`Hint: ${spoken(move.text)}.`);
        draw();
    } else {
        play(move);
    }
}

/** Write what the player thinks: score in its own units, depth, positions, and the line that it expects. */
function describe(result) {
    const plies = WON_GAME - Math.abs(result.score);
    let score = `score ${signed(result.score)}`;
    if (Math.abs(result.score) > LARGEST_VALUE) {
        score = `${result.score > 0 ? "win" : "loss"} in ${plies} ${plies === 1 ? "move" : "moves"}`;
    } else if (data.counts_men) {
        score += ` (a man is ${data.man.toFixed(2)})`;
    }
    const seen = `${result.nodes.toLocaleString("en")} positions`;
    element("thoughts").textContent =
        `${COLOURS[current().side]} to move: ${score}, ${result.depth} moves ahead, ${seen}. Expects ${withMoves(result.line.join(" "))}`;
}

function signed(value) {
    return (value < 0 ? "-" : "+") + Math.abs(value).toFixed(3);
}

function newGame(person) {
    stop();
    const other = person !== game.person || element("board").childElementCount === 0;
    Object.assign(game, { positions: [START], texts: [], person, chosen: null, hint: null });
    element("thoughts").textContent = "Nothing yet.";
    if (other) {
        layBoard();
    }
    if (person === BLACK) {
        say("New game. You have Black and begin.");
    } else {
        say("New game. You have White; Black begins.");
        think();
    }
    draw();
}

/** Take back moves until it is the person's turn again. */
function undo() {
    stop();
    do {
        if (game.texts.length === 0) {
            break;
        }
        game.positions.pop();
        game.texts.pop();
    } while (current().side !== game.person);
    game.chosen = null;
    game.hint = null;
    if (current().side === game.person) {
        say(`Taken back. ${turnText()}`);
    } else {
        say("Taken back.");
        think();
    }
    draw();
}

function hint() {
    if (isPersonsTurn()) {
        say("Thinking about a hint.");
        think();
        draw();
    }
}

/** Choose a square: a piece to move, the next square of its path, or the last one if this leaves no doubt. */
function choose(square) {
    if (!isPersonsTurn()) {
        return;
    }
    const next = game.chosen === null ? [] : begun().filter((move) => move.path[game.chosen.length] === square);
    const last = game.chosen === null ? [] : begun().filter((move) => move.path[move.path.length - 1] === square);
    if (next.length === 0 && last.length === 1) {
        play(last[0]);
        return;
    }
    if (next.length > 0) {
        game.chosen.push(square);
        const whole = begun().find((move) => move.path.length === game.chosen.length);
        if (next.length === 1 || whole !== undefined) {
            play(next.length === 1 ? next[0] : whole);
            return;
        }
        say(`Jumps to ${square}. Choose the next square.`);
    } else if (legalMoves(current()).some((move) => move.path[0] === square)) {
        game.chosen = [square];
        const targets = new Set(begun().map((move) => move.path[1]));
        say(`Square ${square} chosen. It can go to ${[...targets].join(", ")}.`);
    } else {
        game.chosen = null;
        say(`No move begins on ${square}. ${turnText()}`);
    }
    draw();
}

function turn() {
    game.turned = !game.turned;
    layBoard();
    draw();
}

/** Make the squares: the person's own back row is at the bottom, unless the board is turned. */
function layBoard() {
    const board = element("board");
    const focused = board.contains(document.activeElement);
    board.replaceChildren();
    for (let place = 0; place < 64; place++) {
        const [row, column] = [place >> 3, place & 7];
        if ((row + column) % 2 === 0) {
            const light = document.createElement("span");
            light.setAttribute("aria-hidden", "true");
            board.append(light);
            continue;
        }
        const seen = 4 * row + (column >> 1) + 1;
        const square = (game.person === BLACK) !== game.turned ? 33 - seen : seen;
        const button = document.createElement("button");
        button.type = "button";
        button.id = `square-${square}`;
        button.dataset.row = row;
        button.dataset.column = column;
        button.tabIndex = -1;
        button.addEventListener("click", () => choose(square));
        board.append(button);
    }
    const first = board.querySelector("button");
    first.tabIndex = 0;
    if (focused) {
        first.focus();
    }
}

function draw() {
    const position = current();
    const turn = isPersonsTurn();
    const starts = new Set(turn ? legalMoves(position).map((move) => move.path[0]) : []);
    const targets = new Set(game.chosen === null ? [] : begun().map((move) => move.path[game.chosen.length]));
    const last = (game.texts[game.texts.length - 1] || "").split(/[-x]/).map(Number);
    for (let square = 1; square <= 32; square++) {
        const button = element(`square-${square}`);
        const bit = 1 << (square - 1);
        const side = (position.black & bit) !== 0 ? BLACK : (position.white & bit) !== 0 ? WHITE : -1;
        const king = (position.kings & bit) !== 0;
        const marks = {
            dark: true,
            from: last[0] === square,
            last: last.indexOf(square) > 0,
            movable: starts.has(square) && game.chosen === null,
            chosen: game.chosen !== null && game.chosen.includes(square),
            target: targets.has(square),
            hinted: game.hint !== null && game.hint.includes(square),
        };
        button.className = Object.keys(marks).filter((mark) => marks[mark]).join(" ");
        button.replaceChildren(...squareContents(square, side, king));
        const holds = side < 0 ? "empty" : `${COLOURS[side]} ${king ? "king" : "man"}`;
        const states = { target: "can be reached", chosen: "chosen", movable: "can move", hinted: "hint" };
        const said = Object.keys(states).filter((mark) => marks[mark]).map((mark) => states[mark]);
        button.setAttribute("aria-label", [`${square}`, holds, ...said].join(", "));
        button.setAttribute("aria-pressed", String(marks.chosen));
    }
    listMoves(game.texts, BLACK, "span").at(-1)?.setAttribute("aria-current", "step");
    element("moves").scrollTop = element("moves").scrollHeight;
    showTaken([position.black, position.white].map((men) => 12 - popcount(men)));
    const end = ending();
    element("status").className = end === "" ? "" : end.startsWith("A draw") ? "drawn" : end.startsWith("You") ? "won" : "lost";
    const idle = end !== "" || game.texts.length === 0;
    ["new-black", "new-white"].forEach((id, side) => {
        element(id).textContent = `${idle ? "Play" : "New:"} ${COLOURS[side]}`;
        element(id).classList.toggle("main", end !== "" && side === game.person);
    });
    element("undo").disabled = game.texts.length === 0;
    element("hint").disabled = !turn;
}

/** Move the focus over the board with the arrow keys; only one square is in the order of the Tab key. */
function onBoardKey(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    const from = event.target.closest("button");
    if (step === undefined || from === null) {
        return;
    }
    event.preventDefault();
    const row = Number(from.dataset.row) + step[0];
    let column = Number(from.dataset.column) + 2 * step[1];
    if (step[0] !== 0) {
        column += column % 2 === 0 ? 1 : -1; // dark squares of the next row are one column aside
    }
    const to = document.querySelector(`#board button[data-row="${row}"][data-column="${column}"]`);
    if (to !== null) {
        from.tabIndex = -1;
        to.tabIndex = 0;
        to.focus();
    }
}

function onKey(event) {
    const actions = { u: undo, h: hint, n: () => newGame(game.person), f: turn };
    const action = actions[event.key.toLowerCase()];
    if (action !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey && event.target.tagName !== "SELECT") {
        action();
    } else if (event.key === "Escape" && game.chosen !== null) {
        game.chosen = null;
        draw();
    }
}

/** Connect the buttons and keys of the board. */
function connectBoard() {
    const press = { "new-black": () => newGame(BLACK), "new-white": () => newGame(WHITE), undo, hint, turn };
    for (const [id, action] of Object.entries(press)) {
        element(id).addEventListener("click", action);
    }
    element("board").addEventListener("keydown", onBoardKey);
    document.addEventListener("keydown", onKey);
}
