/* The rules of American checkers on 32-bit words; moves come in the order of game/kernels.py.
 *
 * Square s (1 to 32) is bit s - 1. Functions take the pieces of the side to move (`own`), those of its opponent, and the
 * kings of both; `side` is 0 for Black, whose men move to higher squares, and 1 for White.
 *
 * A move is a row of ROW numbers: own, opponent and kings after the move, its code, and a sort key that the search uses.
 * A code has the start square in bits 0 to 5, the number of jumps in bits 6 to 9, and from bit 10 on two bits for each
 * step. Steps are numbered from 0 to 3 by the square that they lead to as the mover sees the board: 0 and 1 go back.
 */
"use strict";

const BLACK = 0;
const WHITE = 1;
const ROW = 5;
const MOST_MOVES = 192;
const START = { black: 0x00000fff, white: 0xfff00000 | 0, kings: 0, side: BLACK };

const TOP_ROW = 0x0000000f;
const BOTTOM_ROW = 0xf0000000 | 0;
// Rows 1, 3, 5, 7 (squares 1-4, 9-12, ...) are shifted to the right of the rows between them.
const EVEN = 0x0f0f0f0f;
const ODD = 0xf0f0f0f0 | 0;
const EVEN_LEFT = 0x07070707; // without the squares at the right edge
const ODD_RIGHT = 0xe0e0e0e0 | 0; // without the squares at the left edge

/** Return all squares of a word one step on; `direction` is 0 to 3 as Black sees the board. */
function shift(word, direction) {
    switch (direction) {
        case 0:
            return ((word & ODD_RIGHT) >>> 5) | ((word & EVEN) >>> 4);
        case 1:
            return ((word & ODD) >>> 4) | ((word & EVEN_LEFT) >>> 3);
        case 2:
            return ((word & EVEN) << 4) | ((word & ODD_RIGHT) << 3);
        default:
            return ((word & EVEN_LEFT) << 5) | ((word & ODD) << 4);
    }
}

/** Return the number of set bits. */
function popcount(word) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Return the index of a word's only bit. */
function bitIndex(word) {
    return 31 - Math.clz32(word);
}

/** Return the board rotated by 180 degrees: square s goes to 33 - s. */
function rotate(word) {
    word = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
    word = ((word >>> 2) & 0x33333333) | ((word & 0x33333333) << 2);
    word = ((word >>> 4) & 0x0f0f0f0f) | ((word & 0x0f0f0f0f) << 4);
    word = ((word >>> 8) & 0x00ff00ff) | ((word & 0x00ff00ff) << 8);
    return (word >>> 16) | (word << 16);
}

/** Return the pieces of `own` that could jump in a direction. */
function capturers(own, opponent, empty, direction) {
    return own & shift(opponent & shift(empty, 3 - direction), 3 - direction);
}

/** Return the pieces of `own` that have a jump. */
function allCapturers(own, opponent, kings, side) {
    const empty = ~(own | opponent);
    const royal = own & kings;
    const ahead = side === BLACK ? 2 : 0;
    return (
        capturers(own, opponent, empty, ahead) |
        capturers(own, opponent, empty, ahead + 1) |
        capturers(royal, opponent, empty, 2 - ahead) |
        capturers(royal, opponent, empty, 3 - ahead)
    );
}

/** Write all legal moves to `rows` from index `at` on, by ascending path as the mover sees it; return their number. */
function generate(own, opponent, kings, side, rows, at) {
    const begin = at;
    let starts = allCapturers(own, opponent, kings, side);
    if (starts !== 0) {
        while (starts !== 0) {
            const start = firstSquare(starts, side);
            starts ^= start;
            at = addJumps(own, opponent, kings, side, start, rows, at);
        }
        return (at - begin) / ROW;
    }
    const empty = ~(own | opponent);
    const crowned = side === BLACK ? BOTTOM_ROW : TOP_ROW;
    starts = own;
    while (starts !== 0) {
        const start = firstSquare(starts, side);
        starts ^= start;
        const isKing = (kings & start) !== 0;
        for (let step = isKing ? 0 : 2; step < 4; step++) {
            const target = shift(start, side === BLACK ? step : 3 - step) & empty;
            if (target !== 0) {
                rows[at] = (own ^ start) | target;
                rows[at + 1] = opponent;
                rows[at + 2] = isKing ? (kings ^ start) | target : kings | (target & crowned);
                rows[at + 3] = bitIndex(start) | (step << 10);
                rows[at + 4] = 0;
                at += ROW;
            }
        }
    }
    return (at - begin) / ROW;
}

/** Return the first set bit as `side` sees the board, alone in a word. */
function firstSquare(word, side) {
    return side === BLACK ? word & -word : 1 << (31 - Math.clz32(word));
}

/** Write a move for every capture path of the piece on `start`; return the index after the last. */
function addJumps(own, opponent, kings, side, start, rows, at) {
    const isKing = (kings & start) !== 0;
    const empty = ~(own | opponent) | start; // the piece has left its square
    const crowned = isKing ? 0 : side === BLACK ? BOTTOM_ROW : TOP_ROW;

    function extend(square, captured, steps, jumps) {
        let ends = true;
        if ((square & crowned) === 0) { // crowning ends the turn
            for (let step = isKing ? 0 : 2; step < 4; step++) {
                const direction = side === BLACK ? step : 3 - step;
                const middle = shift(square, direction) & opponent & ~captured;
                const landing = shift(middle, direction) & empty;
                if (landing !== 0) {
                    ends = false;
                    extend(landing, captured | middle, steps | (step << (2 * jumps)), jumps + 1);
                }
            }
        }
        if (ends && jumps > 0) {
            const left = kings & ~captured;
            rows[at] = (own ^ start) | square;
            rows[at + 1] = opponent & ~captured;
            rows[at + 2] = isKing ? (left ^ start) | square : left | (square & crowned);
            rows[at + 3] = bitIndex(start) | (jumps << 6) | (steps << 10);
            rows[at + 4] = 0;
            at += ROW;
        }
    }

    extend(start, 0, 0, 0);
    return at;
}

/** Return the squares of a move (1 to 32) from start to end, given its code. */
function pathOf(code, side) {
    let square = 1 << (code & 63);
    const path = [(code & 63) + 1];
    const jumps = (code >>> 6) & 15;
    for (let index = 0; index < Math.max(jumps, 1); index++) {
        const step = (code >>> (10 + 2 * index)) & 3;
        const direction = side === BLACK ? step : 3 - step;
        square = shift(square, direction);
        if (jumps > 0) {
            square = shift(square, direction);
        }
        path.push(bitIndex(square) + 1);
    }
    return path;
}

function isSamePosition(one, other) {
    return one.black === other.black && one.white === other.white && one.kings === other.kings && one.side === other.side;
}

/** Return whether a move captures nothing and is one of a king; the positions are those before and after it. */
function isReversible(before, after) {
    const [mine, theirs] = before.side === BLACK ? ["black", "white"] : ["white", "black"];
    return before[theirs] === after[theirs] && (before[mine] & ~before.kings & ~after[mine]) === 0;
}

/** Return the number of reversible moves at the end of a game. */
function reversiblePlies(positions) {
    let plies = 0;
    for (let at = positions.length - 1; at > 0 && isReversible(positions[at - 1], positions[at]); at--) {
        plies += 1;
    }
    return plies;
}

/** Return all legal moves of a position: code, path, text as in PDN, and the position after each. */
function legalMoves(position) {
    const rows = new Int32Array((MOST_MOVES + 1) * ROW);
    const { black, white, kings, side } = position;
    const count = side === BLACK ? generate(black, white, kings, side, rows, 0) : generate(white, black, kings, side, rows, 0);
    const moves = [];
    for (let at = 0; at < count * ROW; at += ROW) {
        const path = pathOf(rows[at + 3], side);
        const captures = ((rows[at + 3] >>> 6) & 15) > 0;
        const [own, opponent] = [rows[at], rows[at + 1]];
        moves.push({
            path,
            captures,
            text: path.join(captures ? "x" : "-"),
            after: {
                black: side === BLACK ? own : opponent,
                white: side === BLACK ? opponent : own,
                kings: rows[at + 2],
                side: 1 - side,
            },
        });
    }
    return moves;
}
