/* Keys of positions, scores as integers, and the transposition table, as in game/search (table_kernels.py).
 *
 * Without `equal_depth`, results of deeper searches in the table may change a value. So keys, buckets, replacement and
 * growth of the table are the same here.
 *
 * Scores are integers: the bits of the absolute value of a float32, with its sign.
 */
"use strict";

const CORRECTED = fround(0.06); // weight of a new difference in a correction, for each ply that remains
const PROVED = 0x7f800000; // the smallest score of a proved win
const WIN = 0x7fc00000; // a win after n plies is worth n less

/* Scores of proved wins, in plies, and the limit of evaluations, for people. */
const WON_GAME = 1000000;
const LARGEST_VALUE = 900000;

/** Return a float32 as a score. */
function scoreOf(value) {
    floatView[0] = value;
    const bits = bitsView[0];
    return bits >= 0 ? bits : -(bits & 0x7fffffff);
}

/** Return a score that is not a proved win as a float32. */
function valueOf(score) {
    bitsView[0] = Math.abs(score);
    return score < 0 ? -floatView[0] : floatView[0];
}

/** Return a score increased by `times` a margin; proved wins and losses stay the same. */
function moved(score, margin, times) {
    return Math.abs(score) >= PROVED ? score : scoreOf(fround(valueOf(score) + fround(times * margin)));
}

/** Return a score as the program reports it: an evaluation, or a number near a million for a proved win. */
function numberOf(score) {
    if (Math.abs(score) >= PROVED) {
        return Math.sign(score) * (WON_GAME - (WIN - Math.abs(score)));
    }
    const value = valueOf(score);
    return score === 0 ? 0 : Math.sign(value) * Math.min(Math.abs(value), LARGEST_VALUE);
}

/* ---- keys: 64 bits in two numbers, mixed from the words of a board with unused bits after every second row ---- */

const keyOf = { low: 0, high: 0 };
let productLow = 0;
let productHigh = 0;

/** Multiply two words of 64 bits modulo 2**64. */
function multiply(low, high, byLow, byHigh) {
    const [a0, a1, b0, b1] = [low & 0xffff, low >>> 16, byLow & 0xffff, byLow >>> 16];
    const p00 = Math.imul(a0, b0);
    const p01 = Math.imul(a0, b1);
    const p10 = Math.imul(a1, b0);
    const carry = ((p00 >>> 16) + (p01 & 0xffff) + (p10 & 0xffff)) >>> 16;
    const upper = Math.imul(a1, b1) + (p01 >>> 16) + (p10 >>> 16) + carry;
    productLow = Math.imul(low, byLow);
    productHigh = (upper + Math.imul(low, byHigh) + Math.imul(high, byLow)) | 0;
}

/** Return the lower 32 bits of a board with unused bits; the upper bits are `word >>> 29`. */
function spread(word) {
    return (word & 0xff) | ((word & 0xff00) << 1) | ((word & 0xff0000) << 2) | (word >>> 24 << 27);
}

/** Compute the key of a position into `keyOf`. */
function computeKey(black, white, kings, side) {
    multiply(spread(black), black >>> 29, 0x7f4a7c15, 0x9e3779b9);
    let low = productLow;
    let high = productHigh;
    const whiteLow = spread(white);
    multiply(whiteLow ^ (whiteLow << 29), (white >>> 29) ^ (((white >>> 29) << 29) | (whiteLow >>> 3)), 0x27d4eb4f, 0xc2b2ae3d);
    low ^= productLow;
    high ^= productHigh;
    const kingsLow = spread(kings);
    const sum = (kingsLow >>> 0) + ((kingsLow << 31) >>> 0);
    const carry = sum > 0xffffffff ? 1 : 0;
    const upper = (kings >>> 29) + (((kings >>> 29) << 31) | (kingsLow >>> 1)) + carry;
    multiply(sum | 0, upper | 0, 0x9e3779f9, 0x165667b1);
    low ^= productLow;
    high ^= productHigh;
    if (side !== 0) {
        low ^= 0x133111eb;
        high ^= 0x94d049bb;
    }
    multiply(low ^ high, high, 0x1ce4e5b9, 0xbf58476d);
    keyOf.low = productLow ^ ((productLow >>> 29) | (productHigh << 3));
    keyOf.high = productHigh ^ (productHigh >>> 29);
}

/* ---- the transposition table ---- */

const UPPER = 1;
const LOWER = 2;
const EXACT = 3;
const NO_MOVE = 255;
const AGES = 512;
const FEWEST_BUCKETS = 256;
const ENTRY_EACH = 2 ** 14;

/** Two entries a bucket, for the deepest and the newest result; entries of ages before `oldest` count as empty. */
class Table {
    constructor(entries) {
        this.lows = new Int32Array(entries);
        this.highs = new Int32Array(entries);
        this.scores = new Int32Array(entries);
        this.depths = new Uint8Array(entries);
        this.bounds = new Uint8Array(entries);
        this.moves = new Uint8Array(entries);
        this.ages = new Uint16Array(entries);
        this.largestMask = entries / 2 - 1;
        this.mask = 0;
        this.age = 0;
        this.oldest = 0;
    }

    /** Return the index of a position's entry, or -1. */
    probe(low, high) {
        const bucket = 2 * (low & this.mask);
        for (let entry = bucket; entry < bucket + 2; entry++) {
            if (this.lows[entry] === low && this.highs[entry] === high && this.ages[entry] >= this.oldest) {
                return entry;
            }
        }
        return -1;
    }

    /** Store a result: in place of the position's own entry, else of a shallower or older one, else of the newest. */
    store(low, high, score, depth, bound, move) {
        let entry = 2 * (low & this.mask);
        const own = this.lows[entry] === low && this.highs[entry] === high;
        if (!own && this.ages[entry] === this.age && this.depths[entry] > depth) {
            entry += 1;
        }
        this.lows[entry] = low;
        this.highs[entry] = high;
        this.scores[entry] = score;
        this.depths[entry] = depth;
        this.bounds[entry] = bound;
        this.moves[entry] = move;
        this.ages[entry] = this.age;
    }

    /** Spread the entries that this search uses over more buckets. */
    grow(mask) {
        for (let entry = 0; entry < 2 * (this.mask + 1); entry++) {
            let target = 2 * (this.lows[entry] & mask);
            if (this.ages[entry] >= this.oldest && target !== (entry & ~1)) {
                target += this.ages[target] >= this.oldest ? 1 : 0;
                for (const part of [this.lows, this.highs, this.scores, this.depths, this.bounds, this.moves, this.ages]) {
                    part[target] = part[entry];
                }
                this.ages[entry] = 0;
            }
        }
        this.mask = mask;
    }
}

/** What a long search found for the men of positions, beyond their evaluation; see `corrected` in node_kernels.py. */
class Corrections {
    constructor(used) {
        this.used = used;
        this.values = new Float32Array(1 << 14);
    }

    /** Return the place of the correction for the men of a position and the side to move; -1 if nothing is corrected. */
    placeOf(black, white, kings, side) {
        if (!this.used) {
            return -1;
        }
        computeKey(black & ~kings, white & ~kings, 0, side);
        return keyOf.low & (this.values.length - 1);
    }

    /** Return an evaluation with the correction at a place. */
    apply(place, value) {
        return place < 0 ? value : moved(value, this.values[place], 1);
    }

    /** Move a correction towards the difference between the result of a search, `best`, and the evaluation `value`. */
    learn(place, value, best, alpha, beta, depth) {
        const beyond = (best >= beta && best < value) || (best <= alpha && best > value);
        if (Math.abs(best) < PROVED - 1 && !beyond) {
            const old = this.values[place];
            const difference = fround(fround(valueOf(best) - valueOf(value)) - old);
            this.values[place] = fround(old + fround(fround(depth * CORRECTED) * difference));
        }
    }
}
