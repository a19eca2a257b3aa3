/* Random streams with the same numbers as evolve/streams.py: Philox, seeded by a seed sequence, as in numpy.
 *
 * Sources: Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011); Melissa O'Neill, Developing a seed_seq
 * alternative (2015); Marsaglia and Tsang, The ziggurat method for generating random variables (2000).
 */
"use strict";

/* The purposes of streams, as in evolve/streams.py. */
const DRAW = { founders: 0, mutation: 3, tournament: 4, ballots: 5, rating: 7 };
const TWO_32 = 2 ** 32;

/** Return the upper word of the product of two words; a double is off by less than half of such a word's unit. */
function upperWord(a, b) {
    return Math.round((a * b - (Math.imul(a, b) >>> 0)) / TWO_32);
}

/** Return the words of a whole number, the lowest first. */
function wordsOf(number) {
    const words = [];
    do {
        words.push(number % TWO_32);
        number = Math.floor(number / TWO_32);
    } while (number > 0);
    return words;
}

/** Return the four words of Philox's key for a seed and the numbers of a stream, as numpy's SeedSequence does. */
function streamKey(seed, numbers) {
    const entropy = [...seed, 0, 0, 0, 0].slice(0, Math.max(4, seed.length));
    entropy.push(...numbers.flatMap(wordsOf));
    let factor = 0x43b0d7e5;
    const folded = (word) => (word ^ (word >>> 16)) >>> 0;
    const hashed = (word, step) => {
        word ^= factor;
        factor = Math.imul(factor, step);
        return folded(Math.imul(word, factor));
    };
    const mixed = (word, other) => folded(Math.imul(word, 0xca01f9dd) - Math.imul(other, 0x4973f715));
    const pool = entropy.slice(0, 4).map((word) => hashed(word, 0x931e8875));
    for (let source = 0; source < 4; source++) {
        for (let target = 0; target < 4; target++) {
            if (source !== target) {
                pool[target] = mixed(pool[target], hashed(pool[source], 0x931e8875));
            }
        }
    }
    for (const word of entropy.slice(4)) {
        for (let target = 0; target < 4; target++) {
            pool[target] = mixed(pool[target], hashed(word, 0x931e8875));
        }
    }
    factor = 0x8b51f9dd;
    return pool.map((word) => hashed(word, 0x58f38ded));
}

const MULTIPLIERS = [0xe14c6c93, 0xd2e7470e, 0x95121157, 0xca5a8263];
const WEYL = [0x7f4a7c15, 0x9e3779b9, 0x84caa73b, 0xbb67ae85];
const ROUNDS = 10;
const product = new Uint32Array(4);

/** Compute the product of two numbers of 64 bits into `product`. */
function multiplyWide(low, high, byLow, byHigh) {
    const across = upperWord(low, byLow) + (Math.imul(high, byLow) >>> 0) + (Math.imul(low, byHigh) >>> 0);
    const above =
        upperWord(high, byLow) + upperWord(low, byHigh) + (Math.imul(high, byHigh) >>> 0) + Math.floor(across / TWO_32);
    product[0] = Math.imul(low, byLow);
    product[1] = across % TWO_32;
    product[2] = above % TWO_32;
    product[3] = upperWord(high, byHigh) + Math.floor(above / TWO_32);
}

/** A stream of random numbers. */
class Stream {
    /** @param normals see `normalLayers`; only `normal` needs them.
     *  @param seed its words, the lowest first.
     */
    constructor(normals, seed, ...numbers) {
        this.normals = normals;
        this.key = streamKey(seed, numbers);
        this.block = 0;
        this.words = new Uint32Array(8); // of the newest block
        this.at = 8;
        this.kept = -1; // the upper half of a number of which only the lower one was used
        this.low = 0;
        this.high = 0;
    }

    /** Draw 64 bits into `low` and `high`. */
    draw() {
        if (this.at === 8) {
            this.fill();
        }
        this.low = this.words[this.at];
        this.high = this.words[this.at + 1];
        this.at += 2;
    }

    /** Compute the next block of four numbers. */
    fill() {
        this.block += 1;
        this.at = 0;
        const { words } = this;
        const key = Uint32Array.from(this.key);
        words.fill(0);
        words[0] = this.block;
        for (let round = 0; round < ROUNDS; round++) {
            const [c2, c3, c6, c7] = [words[2], words[3], words[6], words[7]];
            multiplyWide(words[0], words[1], MULTIPLIERS[0], MULTIPLIERS[1]);
            const [low0, low1, high0, high1] = product;
            multiplyWide(words[4], words[5], MULTIPLIERS[2], MULTIPLIERS[3]);
            words[0] = product[2] ^ c2 ^ key[0];
            words[1] = product[3] ^ c3 ^ key[1];
            words[2] = product[0];
            words[3] = product[1];
            words[4] = high0 ^ c6 ^ key[2];
            words[5] = high1 ^ c7 ^ key[3];
            words[6] = low0;
            words[7] = low1;
            for (const half of [0, 2]) {
                const sum = key[half] + WEYL[half];
                key[half] = sum;
                key[half + 1] += WEYL[half + 1] + (sum >= TWO_32 ? 1 : 0);
            }
        }
    }

    /** Return 32 random bits. */
    word() {
        if (this.kept >= 0) {
            const { kept } = this;
            this.kept = -1;
            return kept;
        }
        this.draw();
        this.kept = this.high;
        return this.low;
    }

    /** Return a whole number from 0 to `limit` - 1, by Lemire's method. */
    below(limit) {
        const threshold = (TWO_32 - limit) % limit;
        let word = this.word();
        while (Math.imul(word, limit) >>> 0 < threshold) {
            word = this.word();
        }
        return upperWord(word, limit);
    }

    /** Return a number from 0 to 1, 1 excluded. */
    uniform() {
        this.draw();
        return (this.high * 2 ** 21 + (this.low >>> 11)) / 2 ** 53;
    }

    /** Return a normally distributed number. */
    normal() {
        const { widths, starts, heights } = this.normals;
        for (;;) {
            this.draw();
            const layer = this.low & 255;
            const place = (this.high & 0x1fffffff) * 2 ** 23 + (this.low >>> 9);
            const sign = (this.low & 256) !== 0 ? -1 : 1;
            const x = place * widths[layer];
            if (place < starts[layer]) {
                return sign * x;
            }
            if (layer === 0) { // the tail, whose sign is another bit
                return (Math.floor(place / 256) & 1) !== 0 ? -this.tail() : this.tail();
            }
            if ((heights[layer - 1] - heights[layer]) * this.uniform() + heights[layer] < Math.exp(-0.5 * x * x)) {
                return sign * x;
            }
        }
    }

    tail() {
        const edge = this.normals.widths[255] * 2 ** 52;
        for (;;) {
            const beyond = -0.27366123732975828 * Math.log1p(-this.uniform());
            const other = -Math.log1p(-this.uniform());
            if (other + other > beyond * beyond) {
                return edge + beyond;
            }
        }
    }
}

/** Return the layers under the curve of the normal distribution, from numpy's widths of steps. */
function normalLayers(widths) {
    const heights = widths.map((width) => Math.exp(-0.5 * (width * 2 ** 52) ** 2));
    heights[0] = 1;
    const starts = widths.map((width, layer) => Math.floor((widths[(layer + 255) & 255] / width) * 2 ** 52));
    starts[1] = 0;
    return { widths, heights, starts };
}
