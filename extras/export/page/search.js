/* Alpha-beta with the same moves, scores and node counts as game/search (kernels.py, root_kernels.py, node_kernels.py),
 * where every step is explained.
 *
 * Results in the transposition table may change a value (table.js), so the order of moves is the same, too. The searching
 * side is always side 0: the board is rotated once, at the root, if White searches.
 */
"use strict";

const MAX_PLY = 192;
const BATCH = 4;
const INFINITE = 0x7fffffff;
const DRAWN = PROVED - 1;
const NO_LIMIT = Infinity;
const RULES = { repetition: 3, quietPlies: 80 }; // World Checkers and Draughts Federation, as the program's default

/* Reasons why a search ended early. */
const RUNNING = 0;
const LIMIT_REACHED = 1;
const FAILED = 3;

/* Sort keys of moves: quiet moves have 1 + their history counter, which stays below the killer's. */
const TABLE_MOVE_ORDER = 2 ** 30;
const KILLER_ORDER = 2 ** 29;
const MOST_HISTORY = 2 ** 29 - 2;

/* Selective search. */
const PRUNED_DEPTH = 3;
const WITHOUT_MOVE = 4;
const LATE = 3;
const LATER = 6;

/** The search of one side, with its memory.
 *
 * `options` are those of the player (game/search/interface.py), `rules` those of draws.
 */
class Search {
    constructor(network, options, rules = RULES) {
        this.network = network;
        this.options = options;
        this.rules = rules;
        this.resolves = options.quiescence || options.blondie || options.threats;
        this.threats = options.threats ? 1 : 0;
        this.selective = options.threats || options.reductions || options.pruning;
        this.repetitionPlies = 4 * ((options.twofold ? 2 : rules.repetition) - 1);
        this.table = new Table(options.entries);
        this.rows = new Int32Array((MAX_PLY + 2) * (MOST_MOVES + 2) * ROW);
        this.history = new Int32Array(256);
        this.corrections = new Corrections(options.corrects);
        this.lines = new Int32Array((MAX_PLY + 2) ** 2); // the principal variation from each ply on, as codes
        this.lineLengths = new Uint8Array(MAX_PLY + 2);
        this.leaves = new Int32Array(BATCH);
        this.depths = new Uint8Array(MOST_MOVES); // of the newest values of the root's moves
        this.makeRoom(0);
        // First-layer sums of each ply, as each side sees them; valid up to `sumsPly` of this side.
        this.sums = [0, 1].map(() => new Float32Array((MAX_PLY + 2) * network.width));
        this.sumsPly = [0, 0];
        this.goesOn = false;
    }

    /** Make room for the records of `before` positions before the root. */
    makeRoom(before) {
        this.before = before;
        const records = before + MAX_PLY + 2;
        if (this.killers !== undefined && this.killers.length >= records) {
            return;
        }
        for (const part of ["blacks", "whites", "kings", "rowOf", "reversible", "killers"]) {
            this[part] = new Int32Array(records);
        }
    }

    /** Search a position.
     *
     * @param position the root; it has a legal move.
     * @param earlier the positions of the game before it.
     * @param limits `depth` and `nodes`; either may be missing.
     * @param onDepth called with the result of each iteration.
     * @returns the last result: move (path), score, depth, nodes, line (paths), moves; null if a value is not finite.
     */
    search(position, earlier, limits, onDepth) {
        this.setRoot(position, earlier);
        this.deepen(limits, onDepth && (() => onDepth(this.result(position.side))));
        return this.aborted === FAILED ? null : this.result(position.side);
    }

    /** Search a position as `search` does; return the index of the best move, or -1 if a value is not finite. */
    choose(position, earlier, limits) {
        this.setRoot(position, earlier);
        this.deepen(limits);
        return this.aborted === FAILED ? -1 : this.rootBest;
    }

    /** Search the root with increasing depth. */
    deepen(limits, onDepth) {
        const count = this.begin();
        const last = limits.depth || 64;
        const step = this.options.blondie ? 2 : 1;
        this.nodeLimit = NO_LIMIT;
        for (let depth = Math.min(step, last); ; depth = Math.min(depth + step, last)) {
            this.searchMoves(depth, count);
            if (this.aborted !== RUNNING) {
                return;
            }
            if (onDepth) {
                onDepth();
            }
            if (depth >= last || Math.abs(this.rootScore) >= WIN - depth) {
                return;
            }
            this.nodeLimit = limits.nodes || NO_LIMIT; // from the second iteration on
        }
    }

    setRoot(position, earlier) {
        const line = [...earlier, position];
        const run = reversiblePlies(line);
        this.makeRoom(run);
        for (let index = 0; index <= run; index++) {
            const board = line[line.length - 1 - run + index];
            const [black, white, kings] = wordsFor(board, position.side);
            this.setRecord(index, black, white, kings);
        }
        this.reversible[run] = run;
    }

    setRecord(record, black, white, kings) {
        this.blacks[record] = black;
        this.whites[record] = white;
        this.kings[record] = kings;
    }

    begin() {
        const { table, before } = this;
        this.nodes = 0;
        this.aborted = RUNNING;
        this.rootDepth = 0;
        this.rootBest = 0;
        if (!this.goesOn || this.options.ages) {
            table.age += 1;
            if (table.age >= AGES || (this.options.ages && !this.goesOn)) {
                table.ages.fill(0);
                table.age = 1;
                this.goesOn = false;
            }
        }
        if (!this.goesOn) {
            table.oldest = table.age;
            table.mask = Math.min(FEWEST_BUCKETS - 1, table.largestMask);
            this.history.fill(0);
            this.corrections.values.fill(0);
        }
        for (let index = 0; this.goesOn && index < this.history.length; index++) {
            this.history[index] >>>= 1;
        }
        this.killers.fill(-1);
        const root = [this.blacks[before], this.whites[before], this.kings[before]];
        this.sumsPly = [0, 0];
        this.network.buildSums(0, root, this.sums[0], 0);
        if (this.network.byMover) {
            this.network.buildSums(1, root, this.sums[1], 0);
        }
        const count = generate(...root, 0, this.rows, 0);
        this.order = Array.from({ length: count }, (_, index) => index);
        this.depths.fill(0);
        return count;
    }

    /** Search the moves of the root for the best one and its value; see `search_moves` in root_kernels.py. */
    searchMoves(depth, count) {
        const { rows, before, table } = this;
        const wanted = Math.min(this.nodes, ENTRY_EACH + Math.floor(this.nodes / this.options.positions_an_entry));
        let mask = table.mask;
        while (mask < table.largestMask && 2 * (mask + 1) < wanted) {
            mask = 2 * mask + 1;
        }
        if (mask > table.mask) {
            table.grow(mask);
        }
        const [own, opponent, kings] = [this.blacks[before], this.whites[before], this.kings[before]];
        const free = (count + 1) * ROW;
        const childDepth = count === 1 && this.options.blondie ? depth : depth - 1;
        let best = -INFINITE;
        let bestIndex = -1;
        let bestPlace = 0;
        let searched = 0;
        for (let place = 0; place < count; place++) {
            const index = this.order[place];
            const row = index * ROW;
            let alpha = -INFINITE;
            if (bestIndex >= 0) {
                alpha = index < bestIndex ? best - 1 : best; // the first of equal moves is best
            }
            this.makeMove(own, kings, opponent, row, 0);
            const [a, b, k] = [rows[row + 1], rows[row], rows[row + 2]];
            const leaf = this.isLeaf(row, childDepth);
            let score;
            if (leaf) {
                this.nodes += 1;
                score = this.leafValue(row, 0);
            } else if (alpha > -INFINITE) {
                score = -this.alphabeta(a, b, k, -alpha - 1, -alpha, childDepth, 1, free);
                if (score > alpha && this.aborted === RUNNING) {
                    score = -this.alphabeta(a, b, k, -INFINITE, -alpha, childDepth, 1, free);
                }
            } else {
                score = -this.alphabeta(a, b, k, -INFINITE, INFINITE, childDepth, 1, free);
            }
            if (this.aborted !== RUNNING) {
                break;
            }
            const better = bestIndex < 0 || score > best || (score === best && index < bestIndex);
            searched += 1;
            if (better) {
                [best, bestIndex, bestPlace] = [score, index, place];
                this.updateLine(row, 0, leaf);
            }
        }
        const aborted = this.aborted !== RUNNING;
        if (bestIndex < 0 || (aborted && bestIndex === this.rootBest)) {
            return;
        }
        for (let place = 0; place < searched; place++) {
            this.depths[this.order[place]] = depth;
        }
        this.rootLine = this.lines.slice(0, this.lineLengths[0]);
        // The best move is searched first in the next iteration; the others keep their order.
        this.order.splice(bestPlace, 1);
        this.order.unshift(bestIndex);
        this.rootBest = bestIndex;
        this.rootScore = best;
        if (!aborted) {
            this.rootDepth = depth;
        }
    }

    result(side) {
        const paths = (codes) =>
            Array.from(codes, (code, ply) => ({
                path: pathOf(code, ply & 1).map((square) => (side === WHITE ? 33 - square : square)),
                captures: ((code >>> 6) & 15) > 0,
            }));
        const text = ({ path, captures }) => path.join(captures ? "x" : "-");
        return {
            move: text(paths([this.rows[this.rootBest * ROW + 3]])[0]),
            score: numberOf(this.rootScore),
            depth: this.rootDepth,
            scoreDepth: this.depths[this.rootBest],
            nodes: this.nodes,
            line: paths(this.rootLine).map(text),
        };
    }

    /** Return the value of a position to the side to move if it is between alpha and beta, else a bound (fail-soft). */
    alphabeta(own, opponent, kings, alpha, beta, depth, ply, at) {
        const { rows, table, options } = this;
        // Steps 1 and 2. Initialise the node; check the limit.
        this.nodes += 1;
        this.pathDependent = false;
        if (this.nodes > this.nodeLimit) {
            this.aborted = LIMIT_REACHED;
            return 0;
        }
        // Step 3. Generate all legal moves. A side without a move has lost.
        const side = ply & 1;
        const record = this.before + ply;
        this.lineLengths[ply] = 0;
        const count = generate(own, opponent, kings, side, rows, at);
        if (count === 0) {
            return ply - WIN;
        }
        // Step 4. Draws.
        if (this.isDraw(ply)) {
            this.pathDependent = true;
            return 0;
        }
        // Step 5. Transposition table lookup.
        const pvNode = beta - alpha > 1;
        let tableMove = -1;
        let [low, high] = [0, 0];
        if (depth > 0) {
            computeKey(this.blacks[record], this.whites[record], this.kings[record], side);
            [low, high] = [keyOf.low, keyOf.high];
            const entry = table.probe(low, high);
            if (entry >= 0) {
                if (table.moves[entry] < count) {
                    tableMove = table.moves[entry];
                }
                const usable = options.equal_depth
                    ? !options.blondie && this.pathIndependent(ply, depth) && table.depths[entry] === depth
                    : table.depths[entry] >= depth;
                if (usable && !pvNode) {
                    const stored = table.scores[entry];
                    const score = stored >= PROVED ? stored - ply : stored <= -PROVED ? stored + ply : stored;
                    const bound = table.bounds[entry];
                    if ((score >= beta && (bound & LOWER) !== 0) || (score <= alpha && (bound & UPPER) !== 0)) {
                        return score;
                    }
                }
            }
        }
        // Step 6. Prune where few plies remain and the evaluation is far outside the window.
        const quiet = rows[at + 1] === opponent;
        let [value, correction] = [INFINITE, -1];
        const near = depth > 0 && depth <= PRUNED_DEPTH && alpha > -DRAWN && beta < DRAWN;
        if (options.pruning && quiet && !pvNode && near) {
            value = -this.leafValue(this.rowOf[record], ply - 1);
            correction = this.corrections.placeOf(this.blacks[record], this.whites[record], this.kings[record], side);
            const bound = this.prune(this.corrections.apply(correction, value), alpha, beta, depth, ply);
            if (bound !== INFINITE || this.aborted !== RUNNING) {
                return bound;
            }
        }
        // Step 8. The depth of the children.
        let childDepth = depth - 1;
        if (count === 1 && options.blondie && ply + depth < MAX_PLY - 2) {
            childDepth = depth;
        } else if (childDepth < 0 && !options.blondie) {
            childDepth = this.selective && quiet ? Math.max(childDepth, -this.threats) : depth;
        } else if (options.reductions && tableMove < 0 && count > 1 && depth >= WITHOUT_MOVE) {
            childDepth -= 1;
        }
        const originalAlpha = alpha;
        let best = -INFINITE;
        let bestRow = at;
        let pathDependent = false;
        const free = at + (count + 1) * ROW;
        const end = at + count * ROW;
        let unsearched = count;
        const lastPly = ply >= MAX_PLY - 2;
        const expandsAll = childDepth <= 0 && (childDepth & 1) !== 0 && options.blondie && !lastPly;
        if (childDepth <= 0 && !expandsAll) {
            // Step 9. After the last ply evaluate the leaves first, a batch at a time.
            const every = lastPly || !this.resolves;
            const threats = this.threats !== 0 && childDepth + this.threats > 0 && !every;
            unsearched = 0;
            let leaves = 0;
            for (let row = at; row < end; row += ROW) {
                const leaf = every || !this.replyIsCapture(row, side);
                if (!leaf || (threats && this.threatensCapture(row, side))) {
                    rows[row + 4] = 1; // searched below, in the order of generation
                    unsearched += 1;
                }
                if (leaf) {
                    this.leaves[leaves++] = row;
                }
                if (leaves === BATCH || (row + ROW === end && leaves > 0)) {
                    for (let place = 0; place < leaves; place++) {
                        const score = this.leafValue(this.leaves[place], ply);
                        if (score > best) {
                            [best, bestRow] = [score, this.leaves[place]];
                        }
                    }
                    this.nodes += leaves;
                    leaves = 0;
                    if (best >= beta) {
                        break;
                    }
                }
            }
            if (this.aborted !== RUNNING) {
                return 0;
            }
            if (best > alpha) {
                alpha = best;
                if (pvNode) {
                    this.updateLine(bestRow, ply, true);
                }
            }
            if (best >= beta) {
                unsearched = 0;
            }
        } else if (childDepth > 0 && count > 1) {
            // Step 10. Move ordering.
            this.scoreForOrdering(opponent, at, end, side, tableMove, this.killers[record]);
        } else {
            for (let row = at; row < end; row += ROW) {
                rows[row + 4] = 1;
            }
        }
        // Steps 11 to 14. Search the moves until none is left or a beta cutoff occurs.
        for (let searched = 0; searched < unsearched; searched++) {
            const row = this.pickNext(at, end);
            const [a, b, k] = [rows[row + 1], rows[row], rows[row + 2]];
            this.makeMove(own, kings, opponent, row, ply);
            const less = options.reductions && quiet ? this.reduction(row, side, searched, childDepth, best) : 0;
            let score;
            if (less > 0 || (searched > 0 && pvNode)) {
                score = -this.alphabeta(a, b, k, -alpha - 1, -alpha, childDepth - less, ply + 1, free);
                if (score > alpha && (less > 0 || score < beta) && this.aborted === RUNNING) {
                    pathDependent = pathDependent || this.pathDependent;
                    score = -this.alphabeta(a, b, k, -beta, -alpha, childDepth, ply + 1, free);
                }
            } else {
                score = -this.alphabeta(a, b, k, -beta, -alpha, childDepth, ply + 1, free);
            }
            if (this.aborted !== RUNNING) {
                return 0;
            }
            if (score > best) {
                [best, bestRow] = [score, row];
                if (score > alpha) {
                    alpha = score;
                    if (pvNode) {
                        this.updateLine(row, ply, false);
                    }
                    if (score >= beta) {
                        pathDependent = this.pathDependent;
                        break;
                    }
                }
            }
            pathDependent = pathDependent || this.pathDependent;
        }
        this.pathDependent = pathDependent;
        // Step 15. Learn from the result and store it, unless it holds only on this path.
        if (correction >= 0 && !pathDependent) {
            this.corrections.learn(correction, value, best, originalAlpha, beta, depth);
        }
        if (depth > 0 && !pathDependent) {
            const bound = best >= beta ? LOWER : best <= originalAlpha ? UPPER : EXACT;
            let move = best > originalAlpha ? (bestRow - at) / ROW : NO_MOVE;
            if (bound === UPPER && tableMove >= 0) {
                move = tableMove;
            }
            const score = best >= PROVED ? best + ply : best <= -PROVED ? best - ply : best;
            table.store(low, high, score, depth, bound, move);
        }
        // Step 16. Reward a quiet move that caused a cutoff.
        if (best >= beta && childDepth > 0 && quiet) {
            const code = rows[bestRow + 3];
            this.killers[record] = code;
            const counter = historyCounter(code, side);
            this.history[counter] = Math.min(this.history[counter] + depth * depth, MOST_HISTORY);
        }
        return best;
    }

    /** Return whether the opponent of `side` must capture after a move. */
    replyIsCapture(row, side) {
        const { rows } = this;
        return allCapturers(rows[row + 1], rows[row], rows[row + 2], 1 - side) !== 0;
    }

    /** Return whether `side` could capture after its move, if it were to move again. */
    threatensCapture(row, side) {
        const { rows } = this;
        return allCapturers(rows[row], rows[row + 1], rows[row + 2], side) !== 0;
    }

    isLeaf(row, depth) {
        if (depth > 0 || (this.options.blondie && (depth & 1) !== 0)) {
            return false;
        }
        return !this.resolves || !this.replyIsCapture(row, 0);
    }

    /** Fill the record of the next ply with the position after a move. */
    makeMove(own, kings, opponent, row, ply) {
        const { rows } = this;
        const record = this.before + ply;
        const [ownAfter, opponentAfter, kingsAfter] = [rows[row], rows[row + 1], rows[row + 2]];
        const changes = opponent !== opponentAfter || (own & ~kings & ~ownAfter) !== 0;
        this.reversible[record + 1] = changes ? 0 : this.reversible[record] + 1;
        const side = ply & 1;
        const black = side === 0 ? ownAfter : opponentAfter;
        const white = side === 0 ? opponentAfter : ownAfter;
        this.setRecord(record + 1, black, white, kingsAfter);
        this.rowOf[record + 1] = row;
        this.sumsPly[0] = Math.min(this.sumsPly[0], ply);
        this.sumsPly[1] = Math.min(this.sumsPly[1], ply);
    }

    isDraw(ply) {
        const record = this.before + ply;
        if (this.reversible[record] >= this.repetitionPlies) {
            let occurrences = 1;
            for (let back = 4; back <= this.reversible[record]; back += 2) {
                if (this.isSame(record - back, record)) {
                    occurrences += 1;
                    if (back <= ply && this.options.twofold) {
                        occurrences += this.rules.repetition;
                    }
                }
            }
            if (occurrences >= this.rules.repetition) {
                return true;
            }
        }
        return this.reversible[record] >= this.rules.quietPlies;
    }

    isSame(before, record) {
        const { blacks, whites, kings } = this;
        return (
            blacks[before] === blacks[record] && whites[before] === whites[record] && kings[before] === kings[record]
        );
    }

    /** Return whether no draw within `depth` plies can depend on the path. */
    pathIndependent(ply, depth) {
        const record = this.before + ply;
        const plies = depth + this.threats;
        return this.reversible[record] + plies < this.repetitionPlies && this.reversible[record] + plies < this.rules.quietPlies;
    }

    scoreForOrdering(opponent, at, end, side, tableMove, killer) {
        const { rows } = this;
        for (let row = at; row < end; row += ROW) {
            if (row === at + tableMove * ROW) {
                rows[row + 4] = TABLE_MOVE_ORDER;
            } else if (rows[row + 1] !== opponent) {
                rows[row + 4] = 1 + popcount(opponent & ~rows[row + 1]);
            } else if (rows[row + 3] === killer) {
                rows[row + 4] = KILLER_ORDER;
            } else {
                rows[row + 4] = 1 + this.history[historyCounter(rows[row + 3], side)];
            }
        }
    }

    /** Return the move with the largest sort key, the first of several, and clear the key. */
    pickNext(at, end) {
        const { rows } = this;
        let best = at;
        let largest = 0;
        for (let row = at; row < end; row += ROW) {
            if (rows[row + 4] > largest) {
                [best, largest] = [row, rows[row + 4]];
            }
        }
        rows[best + 4] = 0;
        return best;
    }

    /** Write the principal variation from a ply on: this move, then that of the next ply unless it is a leaf. */
    updateLine(row, ply, leaf) {
        const at = ply * (MAX_PLY + 2);
        const next = at + MAX_PLY + 2;
        const rest = leaf ? 0 : this.lineLengths[ply + 1];
        this.lines[at] = this.rows[row + 3];
        for (let move = 0; move < rest; move++) {
            this.lines[at + 1 + move] = this.lines[next + move];
        }
        this.lineLengths[ply] = rest + 1;
    }

    /** Return a bound outside the window for a position without captures; INFINITE if it has to be searched. */
    prune(value, alpha, beta, depth, ply) {
        const row = this.rowOf[this.before + ply];
        let bound = moved(value, this.network.margins[0], depth);
        if (bound <= alpha) {
            return bound;
        }
        bound = moved(value, this.network.margins[1], -depth);
        return bound >= beta && !this.threatensCapture(row, 1 - (ply & 1)) ? bound : INFINITE;
    }

    /** Return the number of plies by which a late quiet move is searched less deep. */
    reduction(row, side, searched, depth, best) {
        if (searched < LATE || depth < 2 || best <= -PROVED || this.replyIsCapture(row, side)) {
            return 0;
        }
        return searched >= LATER && depth > 2 ? 2 : 1;
    }

    /** Return the value of the leaf after a move at `ply`, to the side that made the move. */
    leafValue(row, ply) {
        const { network, rows } = this;
        const odd = (ply & 1) !== 0;
        const black = odd ? rows[row + 1] : rows[row];
        const white = odd ? rows[row] : rows[row + 1];
        const kings = rows[row + 2];
        const view = network.byMover && !odd ? 1 : 0;
        const place = network.cachePlace(black, white, kings);
        let value = network.cached(place, black, white, kings, view);
        if (Number.isNaN(value)) {
            this.sumsUpTo(ply, view);
            const [sums] = network.halves;
            const from = ply * network.width;
            for (let unit = 0; unit < network.width; unit++) {
                sums[unit] = this.sums[view][from + unit];
            }
            this.updateSums(ply, view, black, white, kings, sums, 0);
            value = view === 0 ? network.value(black, white, kings, 0) : network.value(white, black, kings, 1);
            if (!Number.isFinite(value)) {
                this.aborted = FAILED;
                return 0;
            }
            network.remember(place, black, white, kings, view, value);
        }
        // A value is for the side to move, or for side 0 if the network does not see which side is to move.
        return scoreOf(network.byMover || odd ? -value : value);
    }

    /** Update sums from the position at a ply to the one given by three words. */
    updateSums(ply, view, black, white, kings, sums, at) {
        const record = this.before + ply;
        const before = this.blacks[record];
        this.network.updateSums(view, before, this.whites[record], this.kings[record], black, white, kings, sums, at);
    }

    /** Compute the first-layer sums of the path up to a ply; many positions never need theirs. */
    sumsUpTo(ply, view) {
        const { width } = this.network;
        const sums = this.sums[view];
        while (this.sumsPly[view] < ply) {
            const from = this.sumsPly[view];
            sums.copyWithin((from + 1) * width, from * width, (from + 1) * width);
            const after = this.before + from + 1;
            this.updateSums(from, view, this.blacks[after], this.whites[after], this.kings[after], sums, (from + 1) * width);
            this.sumsPly[view] = from + 1;
        }
    }
}

/** Return the index of the history counter of a simple move. */
function historyCounter(code, side) {
    return side * 128 + (code & 63) * 4 + ((code >>> 10) & 3);
}
