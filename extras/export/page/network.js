/* Evaluation by a network of any kind, with the same bits as the compiled kernel (game/networks/kernels.py).
 *
 * The page has the program of the network and its prepared parameters (game/networks/evaluator.py): first-layer sums, then
 * tiles of 16 or 48 outputs with the inputs that are connected to them. All numbers are float32. JavaScript computes in
 * float64, so every result is rounded by Math.fround: a sum, product or quotient of two float32 in float64, rounded to
 * float32, is the same as in float32. Fused multiply-adds need more care (`fma`).
 */
"use strict";

const { fround } = Math;
const LANES = 16;
const HEAD_WORDS = 16;
const TILE_WORDS = 9;
const WINDOWS = 9;
const CELLS = 6561;
const LEAF_CACHE = 1 << 14;

const floatView = new Float32Array(1);
const bitsView = new Int32Array(floatView.buffer);

/** Return a * b + c, rounded once to float32.
 *
 * The product of two float32 is exact in float64, and their sum is rounded to 53 bits. Rounding this once more to 24 bits
 * is wrong only if the float64 is halfway between two float32, but the exact sum is not; its error decides then.
 */
function fma(a, b, c) {
    const product = a * b;
    const sum = product + c;
    const near = fround(sum);
    const distance = sum - near;
    if (distance === 0) {
        return near;
    }
    const other = near + 2 * distance; // a float32 only if `sum` is halfway between it and `near`
    if (fround(other) !== other) {
        return near;
    }
    const part = sum - product;
    const error = product - (sum - part) + (c - part); // of `sum`, exactly (Knuth's two-sum)
    if (error === 0) {
        return near;
    }
    return error > 0 === other > near ? other : near;
}

const MINUS_LOG2_E = fround(-1.4426950408889634);
const ROUND = 12582912; // 1.5 * 2**23: adding it leaves an integer in the low bits
const MINUS_LN2_HIGH = fround(-0.693359375);
const MINUS_LN2_LOW = fround(2.12194440054690583e-4);
const SERIES = [1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1].map(fround);

/** Return e**-x with x clamped to [-28, 28], by the steps of `exp_minus` in game/networks/vectors.py. */
function expMinus(x) {
    const clamped = x > 28 ? 28 : x < -28 ? -28 : x;
    const shifted = fma(clamped, MINUS_LOG2_E, ROUND);
    const n = fround(shifted - ROUND);
    const r = fma(n, MINUS_LN2_LOW, fma(n, MINUS_LN2_HIGH, -clamped));
    let series = SERIES[0];
    for (let index = 1; index < SERIES.length; index++) {
        series = fma(series, r, SERIES[index]);
    }
    floatView[0] = shifted;
    const exponent = bitsView[0] << 23;
    floatView[0] = series;
    bitsView[0] += exponent; // multiplies by 2**n
    return floatView[0];
}

/** Return 1 / a, 1 / b and 1 / c as the kernel does, which divides once. */
function reciprocals(a, b, c) {
    const ab = fround(a * b);
    const inverse = fround(1 / fround(ab * c));
    const inverseAb = fround(inverse * c);
    return [fround(inverseAb * b), fround(inverseAb * a), fround(inverse * ab)];
}

/* Activations by their numbers in a program: of one sum, and, where the kernel computes it in another way, of three. */
const ACTIVATIONS = [
    { name: "none", one: (x) => x },
    {
        name: "sigmoid",
        one: (x) => fround(1 / fround(1 + expMinus(x))),
        three: (a, b, c) => reciprocals(fround(1 + expMinus(a)), fround(1 + expMinus(b)), fround(1 + expMinus(c))),
    },
    {
        name: "tanh",
        one: (x) => fround(fround(2 / fround(1 + expMinus(fround(x + x)))) - 1),
        three: (a, b, c) =>
            reciprocals(
                fround(1 + expMinus(fround(a + a))),
                fround(1 + expMinus(fround(b + b))),
                fround(1 + expMinus(fround(c + c))),
            ).map((y) => fma(2, y, -1)),
    },
    { name: "relu", one: (x) => (x < 0 ? 0 : x) },
    {
        name: "clipped",
        one: (x) => Math.min(Math.floor(fround(fround((x < 0 ? 0 : x) * 128) + 0.5)), 127) / 128,
    },
];

/** Apply an activation to some sums; those of three vectors are computed together. */
function activate(sums, at, count, number) {
    const { one, three } = ACTIVATIONS[number];
    if (number === 0) {
        return;
    }
    if (count === 3 * LANES && three !== undefined) {
        for (let lane = at; lane < at + LANES; lane++) {
            const results = three(sums[lane], sums[lane + LANES], sums[lane + 2 * LANES]);
            [sums[lane], sums[lane + LANES], sums[lane + 2 * LANES]] = results;
        }
        return;
    }
    for (let lane = at; lane < at + count; lane++) {
        sums[lane] = one(sums[lane]);
    }
}

/** Return the memory packed in a text: base64 of zlib's format. */
async function unpack(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) {
        bytes[index] = binary.charCodeAt(index);
    }
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
}

/** A network with its memory. Positions are words of two sides; side 0 is the one that sees the board unrotated. */
class Network {
    /** @param data `plan`, and the king's value.
     *  @param taps int32, and `params` float32: their memory.
     */
    constructor(data, taps, params) {
        const { plan } = data;
        this.params = params;
        this.king = fround(data.king);
        this.width = plan[10] * LANES;
        this.views = plan[0] / plan[10];
        this.firstActivation = plan[1];
        this.kings = plan[2] / 4 / this.width; // tables are counted in rows of one view
        this.biases = plan[3] / 4;
        this.addsPieces = plan[6] !== 0;
        this.outputHalf = 1 - plan[7];
        this.theirs = plan[8] / 4 / this.width;
        this.byMover = this.views === 2; // whether the network sees which side is to move
        this.tables = plan[11] < 0 ? -1 : plan[11] / 4;
        this.phases = plan[12];
        this.hasLayers = plan[13] !== 0;
        this.patterns = plan[14] < 0 ? -1 : plan[14] / 4;
        this.ternary = taps.subarray(plan[15] / 4);
        this.halves = [new Float32Array(plan[5] / 4), new Float32Array(plan[5] / 4)];
        this.totals = new Float64Array(3 * LANES);
        this.tiles = [];
        for (let number = 0; number < plan[4]; number++) {
            const [odd, vectors, first, last, weights, bias, output, activation, residual] = plan.slice(
                HEAD_WORDS + number * TILE_WORDS,
                HEAD_WORDS + (number + 1) * TILE_WORDS,
            );
            const inputs = taps.slice(first / 4, last / 4).map((offset) => offset / 4);
            const tile = { odd, vectors, inputs, activation, residual };
            Object.assign(tile, { weights: weights / 4, bias: bias / 4, output: output / 4 });
            this.tiles.push({ ...tile, lanes: this.usedLanes(tile) });
        }
        this.units = this.usedUnits();
        this.cacheWords = new Int32Array(3 * LEAF_CACHE);
        this.cacheMovers = new Int8Array(LEAF_CACHE).fill(-1);
        this.cacheValues = new Float32Array(LEAF_CACHE);
    }

    /** Return, for all rows of the tables, the units to which they add something: a kernel of a convolution reaches few. */
    usedUnits() {
        const rows = Array.from({ length: this.biases / this.width }, (_, row) => row * this.width);
        const all = Array.from({ length: this.width }, (_, unit) => unit);
        return rows.map((row) => Uint16Array.from(all.filter((unit) => this.params[row + unit] !== 0)));
    }

    /** Add (`sign` 1) or subtract (-1) a table's rows for all squares of a word. Sums are exact, so any order is right. */
    addRows(word, table, sign, sums, at) {
        const { params, units, views, width } = this;
        while (word !== 0) {
            const index = 31 - Math.clz32(word);
            word ^= 1 << index;
            const row = table + (index + (index >> 3)) * views; // tables have unused rows, as boards of the kernel
            const used = units[row];
            for (let place = 0; place < used.length; place++) {
                const unit = used[place];
                sums[at + unit] += sign * params[row * width + unit];
            }
        }
    }

    /** Update the sums that `view` (0 or 1) needs from a position (three words) to another. */
    updateSums(view, own, opponent, kings, ownAfter, opponentAfter, kingsAfter, sums, at) {
        const { theirs } = this;
        const royal = view + this.kings;
        const sign = theirs === 0 ? -1 : 1; // one table serves both sides: the opponent's pieces are subtracted
        this.updateKind(own & ~kings, ownAfter & ~kingsAfter, view, 1, sums, at);
        this.updateKind(opponent & ~kings, opponentAfter & ~kingsAfter, view + theirs, sign, sums, at);
        this.updateKind(own & kings, ownAfter & kingsAfter, royal, 1, sums, at);
        this.updateKind(opponent & kings, opponentAfter & kingsAfter, royal + theirs, sign, sums, at);
    }

    updateKind(was, is, table, sign, sums, at) {
        if (was !== is) {
            this.addRows(is & ~was, table, sign, sums, at);
            this.addRows(was & ~is, table, -sign, sums, at);
        }
    }

    /** Compute the sums that `view` needs from the biases and all pieces. */
    buildSums(view, words, sums, at) {
        for (let unit = 0; unit < this.width; unit++) {
            sums[at + unit] = this.params[this.biases + view * this.width + unit];
        }
        this.updateSums(view, 0, 0, 0, ...words, sums, at);
    }

    /** Run all layers on the sums in the first half of the scratch memory; return the half with the outputs. */
    runLayers() {
        const [first] = this.halves;
        let done = 0;
        for (; done + 3 * LANES <= this.width; done += 3 * LANES) {
            activate(first, done, 3 * LANES, this.firstActivation);
        }
        for (; done < this.width; done += LANES) {
            activate(first, done, LANES, this.firstActivation);
        }
        for (const tile of this.tiles) {
            this.runTile(tile, this.halves[1 - tile.odd], this.halves[tile.odd]);
        }
        return this.halves[this.outputHalf];
    }

    /** Return the number of lanes of a tile that have weights or a bias; nothing reads the others of a single vector. */
    usedLanes({ inputs, vectors, weights, bias }) {
        let lanes = vectors * LANES;
        const { params } = this;
        const weighs = (lane) => inputs.some((_, tap) => params[weights + tap * LANES + lane] !== 0);
        const used = (lane) => params[bias + lane] !== 0 || weighs(lane);
        while (vectors === 1 && lanes > 0 && !used(lanes - 1)) {
            lanes -= 1;
        }
        return lanes;
    }

    runTile(tile, source, target) {
        const { params, totals } = this;
        const { inputs, vectors, output } = tile;
        const { lanes } = tile;
        if (vectors === 1) {
            for (let lane = 0; lane < lanes; lane++) {
                totals[lane] = this.runLane(tile, source, lane);
            }
        } else {
            for (let lane = 0; lane < lanes; lane++) {
                totals[lane] = params[tile.bias + lane];
            }
            for (let tap = 0, weights = tile.weights; tap < inputs.length; tap++, weights += lanes) {
                const x = source[inputs[tap]];
                if (x !== 0) {
                    for (let lane = 0; lane < lanes; lane++) {
                        const weight = params[weights + lane];
                        if (weight !== 0) {
                            totals[lane] = fma(x, weight, totals[lane]);
                        }
                    }
                }
            }
        }
        for (let lane = 0; lane < lanes; lane++) {
            let sum = totals[lane];
            if (tile.residual !== 0) {
                sum = fround(sum + target[output + lane]);
            }
            target[output + lane] = sum;
        }
        activate(target, output, lanes, tile.activation);
    }

    /** Return the sum of one output of a tile of one vector, which has two chains of additions, for even and odd taps. */
    runLane({ inputs, weights, bias }, source, lane) {
        const { params } = this;
        let even = params[bias + lane];
        let odd = 0;
        for (let tap = 0, at = weights + lane; tap < inputs.length; tap += 2, at += 2 * LANES) {
            even = fma(source[inputs[tap]], params[at], even);
            odd = fma(source[inputs[tap + 1]], params[at + LANES], odd);
        }
        return fround(even + odd);
    }

    /** Return the value for the number of pieces, between the values of two phases; or P(win) - P(loss). */
    blend(values, at, pieces) {
        if (this.phases === 1) {
            return values[at];
        }
        if (this.phases === 0) {
            const most = Math.max(values[at], values[at + 1], values[at + 2]);
            const [win, draw, loss] = [0, 1, 2].map((result) => expMinus(fround(most - values[at + result])));
            return fround(fround(win - loss) / fround(fround(win + draw) + loss));
        }
        const place = this.placeOf(pieces);
        const phase = Math.min(Math.trunc(place), this.phases - 2);
        return between(values[at + phase], values[at + phase + 1], fround(place - phase));
    }

    placeOf(pieces) {
        return fround(((this.phases - 1) * (24 - pieces)) / 24);
    }

    /** Return the sum of the values of all patterns to the owner of `own`; the words are as this side sees them. */
    patternValue(own, opponent, pieces) {
        const place = this.placeOf(pieces);
        const phase = Math.min(Math.trunc(place), Math.max(this.phases - 2, 0));
        const after = this.phases > 1 ? 1 : 0;
        let first = 0;
        let second = 0;
        for (let window = 0; window < WINDOWS; window++) {
            const corner = 8 * Math.trunc(window / 3) + (window % 3);
            const cell = this.cellOf(own >>> corner) + 2 * this.cellOf(opponent >>> corner);
            const at = this.patterns + phase + this.phases * (window * CELLS + cell);
            first = fround(first + this.params[at]);
            second = fround(second + this.params[at + after]);
        }
        return between(first, second, fround(place - phase));
    }

    /** Return the number in base 3 whose digits are 1 for squares of a window with a man: two in each of four rows. */
    cellOf(seen) {
        return this.ternary[(seen & 3) | ((seen >>> 2) & 12) | ((seen >>> 4) & 48) | ((seen >>> 6) & 192)];
    }

    /** Return the value of a position to the side that sees it, 0 or 1, given its sums in the scratch memory. */
    value(own, opponent, kings, view) {
        const pieces = popcount(own | opponent);
        const [sums] = this.halves;
        const adds = this.addsPieces || this.tables >= 0 || this.patterns >= 0;
        let beside = 0;
        if (this.addsPieces) {
            const men = popcount(own & ~kings) - popcount(opponent & ~kings);
            const royal = popcount(own & kings) - popcount(opponent & kings);
            beside = fround(men + fround(this.king * royal));
        }
        if (this.tables >= 0) {
            beside = fround(beside + this.blend(sums, this.tables, pieces));
        }
        if (this.patterns >= 0) {
            const [mine, theirs] = [own & ~kings, opponent & ~kings];
            const patterns =
                view === 0
                    ? this.patternValue(mine, theirs, pieces)
                    : this.patternValue(rotate(mine), rotate(theirs), pieces);
            beside = fround(beside + patterns);
        }
        if (!this.hasLayers) {
            return beside;
        }
        const value = this.blend(this.runLayers(), 0, pieces);
        return adds ? fround(value + beside) : value;
    }

    /** Return the place of a position in the cache of values. */
    cachePlace(own, opponent, kings) {
        const mixed = Math.imul(own, 0x9e3779b1) ^ Math.imul(opponent, 0x85ebca6b) ^ Math.imul(kings, 0xc2b2ae35);
        return (mixed ^ (mixed >>> 15)) & (LEAF_CACHE - 1);
    }

    /** Return the known value of a position as `view` sees it, or NaN. */
    cached(place, own, opponent, kings, view) {
        const words = this.cacheWords;
        const known =
            this.cacheMovers[place] === view &&
            words[3 * place] === own &&
            words[3 * place + 1] === opponent &&
            words[3 * place + 2] === kings;
        return known ? this.cacheValues[place] : NaN;
    }

    remember(place, own, opponent, kings, view, value) {
        this.cacheWords[3 * place] = own;
        this.cacheWords[3 * place + 1] = opponent;
        this.cacheWords[3 * place + 2] = kings;
        this.cacheMovers[place] = view;
        this.cacheValues[place] = value;
    }

    /** Return the value of a position to a side, before the last activation; larger is better. */
    evaluate(position, side) {
        const words = wordsFor(position, side);
        const view = this.byMover && position.side !== side ? 1 : 0;
        this.buildSums(view, words, this.halves[0], 0);
        const [own, opponent, kings] = words;
        return view === 0 ? this.value(own, opponent, kings, 0) : -this.value(opponent, own, kings, 1);
    }
}

/** Return the value at `share` between two values, in the kernel's order of operations. */
function between(first, second, share) {
    return fround(first + fround(share * fround(second - first)));
}

/** Return a position as words of a side's own pieces, its opponent's, and kings; rotated for White. */
function wordsFor(position, side) {
    const { black, white, kings } = position;
    return side === BLACK ? [black, white, kings] : [rotate(white), rotate(black), rotate(kings)];
}
