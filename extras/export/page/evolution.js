/* Evolution as in the preset `first`: a mean, its mirrored mutants, their games, and SNES; see evolve/breeding,
 * evolve/tournament and evolve/kinds, where every step is explained. The same seed gives the same weights, bit for bit.
 */
"use strict";

const [TINY, HUGE] = [1e-30, 1e30];
const KING_STEPS = [-0.1, 0, 0.1];
const clip = (value, low, high) => Math.min(Math.max(value, low), high);

/** Return the sum of numbers, rounded once, as `math.fsum` of Python. Source: Shewchuk (1997). */
function exactSum(values) {
    const partials = [];
    for (let x of values) {
        let kept = 0;
        for (let y of partials) {
            if (Math.abs(x) < Math.abs(y)) {
                [x, y] = [y, x];
            }
            const high = x + y;
            const low = y - (high - x);
            if (low !== 0) {
                partials[kept++] = low;
            }
            x = high;
        }
        partials.length = kept;
        partials.push(x);
    }
    let sum = 0;
    let low = 0;
    while (partials.length > 0 && low === 0) {
        const [x, y] = [sum, partials.pop()];
        sum = x + y;
        low = y - (sum - x);
    }
    // The rest decides where the sum is halfway between two numbers.
    const [rest] = partials.slice(-1);
    const other = sum + 2 * low;
    return Math.sign(low) * Math.sign(rest ?? 0) > 0 && other - sum === 2 * low ? other : sum;
}

/** Return the natural logarithm of a positive number as evolve/kinds/optimisers/optimiser.py computes it. */
function logarithm(value) {
    let power = 0;
    for (; value >= 1; power++) {
        value /= 2;
    }
    for (; value < 0.5; power--) {
        value *= 2;
    }
    if (value < Math.sqrt(0.5)) {
        value *= 2;
        power -= 1;
    }
    const ratio = (value - 1) / (value + 1);
    let series = 0;
    for (let term = 12; term >= 0; term--) {
        series = series * (ratio * ratio) + 1 / (2 * term + 1);
    }
    return power * Math.LN2 + 2 * ratio * series;
}

const TERMS = []; // of the series, the smallest first
for (let power = 0, factorial = 1; power <= 13; factorial *= ++power) {
    TERMS.unshift(1 / factorial);
}

/** Return e to the power of a number between -700 and 700 as evolve/kinds/variation.py computes it. */
function exponential(value) {
    const magic = 1.5 * 2 ** 52;
    const power = value * (1 / Math.LN2) + magic - magic;
    const rest = value - power * 0.69314718036912381649 - power * 1.90821492927058770002e-10;
    let result = TERMS[0];
    for (let term = 1; term < TERMS.length; term++) {
        result = result * rest + TERMS[term];
    }
    return result * 2 ** power;
}

/** Return the value of a king between its bounds, as a float32. */
const kingValue = (value) => fround(clip(value, 1, 3));

/** Return the shares of the parents in the next mean, best first. */
function rankShares(parents) {
    const best = Math.max(parents - 1, 1);
    const raw = Array.from({ length: best }, (_, rank) => logarithm(best + 0.5) - logarithm(rank + 1));
    const sum = exactSum(raw);
    return raw.map((share) => share / sum);
}

/** A run in memory: its mean with what the optimiser keeps, from which the rest of the run follows. */
class Evolution {
    /** @param data of the page: sizes and rules.
     *  @param normals see `normalLayers`.
     *  @param state {seed, generation, mean, steps, king}: a run to go on with, or {seed} for a new one. The seed is a
     *      text, since it may have 63 bits.
     */
    constructor(data, normals, state) {
        this.data = data;
        this.normals = normals;
        Object.assign(this, state);
        this.seedWords = [BigInt(this.seed) % 2n ** 32n, BigInt(this.seed) >> 32n].map(Number);
        if (state.mean === undefined) {
            const { low, high, step } = data.founders;
            const stream = this.stream(0, DRAW.founders, 0);
            this.generation = 0;
            this.mean = Float32Array.from({ length: data.network.weights }, () => low + (high - low) * stream.uniform());
            this.steps = new Float32Array(data.network.weights).fill(step);
            this.king = data.network.king;
        }
    }

    stream(...numbers) {
        return new Stream(this.normals, this.seedWords, ...numbers);
    }

    /** Return the weights and kings of a generation: the mean, then pairs of mutants that are mirror images. */
    population() {
        const { mean, steps, king } = this;
        const { mutants } = this.data.population;
        const size = mean.length;
        const genomes = new Float32Array((mutants + 1) * size);
        const kings = new Float32Array(mutants + 1).fill(king);
        genomes.set(mean);
        for (let pair = 0; pair < mutants / 2; pair++) {
            const stream = this.stream(this.generation, DRAW.mutation, 0, pair);
            const [first, second] = [2 * pair + 1, 2 * pair + 2];
            for (let index = 0; index < size; index++) {
                const mutant = fround(clip(mean[index] + steps[index] * stream.normal(), -HUGE, HUGE));
                genomes[first * size + index] = mutant;
                genomes[second * size + index] = 2 * mean[index] - mutant;
            }
            kings[first] = kingValue(king + KING_STEPS[stream.below(3)]);
            kings[second] = kings[first] === king ? king : kingValue(2 * king - kings[first]);
        }
        return { genomes, kings };
    }

    /** Play a generation and learn from it.
     *
     * @param play a function of games as `Arena.play` takes them; it returns their outcomes.
     * @returns what the generation was: its number, mean, weights, kings, order (best first) and points.
     */
    async next(play) {
        const { generation, mean, king } = this;
        const { genomes, kings } = this.population();
        const points = new Int32Array(kings.length);
        const player = (index) => ({
            genome: genomes.slice(index * mean.length, (index + 1) * mean.length),
            king: kings[index],
            depth: this.data.depth,
        });
        const round = async (stage, pairs) => {
            const stream = this.stream(generation, DRAW.ballots, stage, 0, 0);
            const games = pairs.flatMap(([first, second]) => {
                const ballot = stream.below(this.data.ballot_count);
                return [{ black: first, white: second, ballot }, { black: second, white: first, ballot }];
            });
            const named = games.map((game) => ({ ...game, black: player(game.black), white: player(game.white) }));
            (await play(named)).forEach(({ result }, game) => {
                points[games[game].black] += result;
                points[games[game].white] -= result;
            });
        };
        const byPoints = (players) => players.sort((a, b) => points[b] - points[a] || a - b);
        const mutants = Array.from({ length: kings.length - 1 }, (_, index) => index + 1);
        await round(0, mutants.filter((index) => index % 2 === 1).map((index) => [index, index + 1]));
        const [best] = byPoints(mutants);
        const colours = this.stream(generation, DRAW.tournament).below(2);
        await round(1, [colours === 1 ? [best, 0] : [0, best]]);
        // The mean leads whatever its results, then comes the mutant that played it; see evolve/kinds/stages.py.
        const order = [0, best, ...byPoints(mutants.filter((index) => index !== best))];
        this.learn(genomes, kings, order, points);
        return { generation, mean, king, genomes, kings, order, points };
    }

    /** Make the next mean; see evolve/kinds/optimisers. */
    learn(genomes, kings, order, points) {
        const { mean, steps } = this;
        const size = mean.length;
        const count = kings.length - 1;
        const { parents, stride, rate } = this.data.population;
        // Runs of equal points share what their ranks would get.
        const shares = rankShares(parents);
        const weights = new Float64Array(count); // by mutant
        for (let start = 1; start <= count;) {
            let end = start + 1;
            while (end <= count && points[order[end]] === points[order[start]]) {
                end += 1;
            }
            const share = exactSum(Array.from({ length: end - start }, (_, index) => shares[start - 1 + index] ?? 0));
            for (let rank = start; rank < end; rank++) {
                weights[order[rank] - 1] = share / (end - start);
            }
            start = end;
        }
        const learning = 0.5 * rate * ((3 + logarithm(size)) / (5 * Math.sqrt(size)));
        const next = new Float32Array(size);
        const nextSteps = new Float32Array(size);
        for (let index = 0; index < size; index++) {
            let move = 0;
            let gradient = 0;
            for (let mutant = 0; mutant < count; mutant++) {
                const difference = genomes[(mutant + 1) * size + index] - mean[index];
                const number = difference / steps[index];
                move += weights[mutant] * difference;
                gradient += (weights[mutant] - 1 / count) * (number * number - 1);
            }
            next[index] = clip(mean[index] + stride * move, -HUGE, HUGE);
            nextSteps[index] = clip(steps[index] * exponential(clip(learning * gradient, -1, 1)), TINY, HUGE);
        }
        const differences = Array.from(weights, (weight, mutant) => weight * (kings[mutant + 1] - this.king));
        if (differences.some((difference) => difference !== 0)) {
            this.king = kingValue(this.king + stride * exactSum(differences));
        }
        this.mean = next;
        this.steps = nextSteps;
        this.generation += 1;
    }
}
