// The records of the page, the state of any step, and what is gathered from the whole run.
//
// A chunk's text is parsed when a step in it is wanted. The whole run is read once, a slice at a time while the page is
// in use, to learn who wrote what where (readOn). So a page of a million steps can be used at once.
// ---- reading the records

// The changes that a step is made of: enum Change of vm/trace/page/page_heap.h. How many numbers follow each; of a
// change in REPEATED the last one counts what follows after it, by so many at a time.
const FRAME = 0, STACK = 1, PUSH = 2, POP = 3, SLOT = 4, BLOCKS = 5, ENTER = 6, DEPTH = 7, OUTPUT = 8, NOTE = 9, NAME = 10,
      NO_NAMES = 11, PLACE = 12, CACHE = 13, OBJECT = 14, ITEMS = 15, WHOLE = 16;
const FIXED = [1, 2, 1, 1, 2, 1, 3, 1, 2, 2, 2, 0, 1, 3, 8, 5, 3];
const REPEATED = { [STACK]: 1, [BLOCKS]: 2, [CACHE]: 5, [OBJECT]: 1, [ITEMS]: 1 };
// The forms of an object, and how many items at the end of one that is not recorded whole are its last.
const SEQUENCE = 0, SET = 1, DICT = 2, INSTANCE = 3, FUNCTION = 4, CELL = 5, TENSOR = 6, STORAGE = 7,
      CLASS = 8, ENDS = 8;
// What is further out, or after so many, is not recorded.
const FRAMES_SHOWN = 12, SLOTS_SHOWN = 64, STACK_SHOWN = 48, NAMES_SHOWN = 48;
const LEFT_BY_EXCEPTION = 4; // the kind of a NOTE

// Calls visit(change, at) for each change of a step; its first argument is step[at].
function forEachChange(step, visit) {
    for (let at = 1; at < step.length;) {
        const change = step[at++];
        visit(change, at);
        const last = at + FIXED[change];
        at = last + (change in REPEATED ? REPEATED[change] * step[last - 1] : 0);
    }
}

const sources = [], codes = [], chunks = [];
let end = null; // the last record: how many steps, and whether the run went on

// The lines as the compiler counts them: a form feed ends none, a byte order mark is no part of one.
function linesOf(text) {
    const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
    if (lines[lines.length - 1] === "") lines.pop();
    return lines;
}

// Where minivm was killed the last record is cut off.
function parseRecord(text) {
    try {
        return JSON.parse(text);
    } catch (error) {
        return null;
    }
}

// The steps of a chunk, of which the last ones that were used stay parsed.
class Chunk {
    static parsed = [];

    constructor(first, text) {
        this.first = first;
        this.text = text;
        this.record = null;
    }

    get whole() {
        if (!this.record) {
            this.record = parseRecord(this.text);
            Chunk.parsed.push(this);
            if (Chunk.parsed.length > 8) Chunk.parsed.shift().record = null;
        }
        return this.record;
    }

    get steps() { return this.whole.steps; }
    get texts() { return this.whole.texts; }
}

// Values of many items or characters, each version once: vm/trace/page/page_whole.h.
class Wholes {
    static records = []; // [the number of its first one, its text or what that says]
    static made = new Map(); // those that were asked for last

    static entry(number) {
        const record = lastBefore(Wholes.records, number + 1, record => record[0]);
        if (!record) return undefined;
        if (typeof record[1] === "string") record[1] = parseRecord(record[1])?.values ?? [];
        return record[1][number - record[0]];
    }

    // A text, or the array of its items; null where the page has it not.
    static get(number) {
        const chain = [];
        let value = null;
        for (let at = number; at >= 0; at = chain[chain.length - 1][0]) {
            value = Wholes.made.get(at) ?? null;
            if (value !== null) break;
            chain.push(Wholes.entry(at));
            if (!chain[chain.length - 1]) return null;
        }
        if (Array.isArray(value)) value = value.slice();
        for (const entry of chain.reverse()) value = Wholes.after(value, entry);
        if (Wholes.made.size > 8) Wholes.made.clear();
        Wholes.made.set(number, value);
        return value;
    }

    static after(value, [, from, gone, ...items]) {
        if (typeof from === "string") return (value ?? "") + from;
        value ??= [];
        if (gone === items.length) items.forEach((item, i) => { value[from + i] = item; });
        else if (from === value.length) for (const item of items) value.push(item);
        else value = [...value.slice(0, from), ...items, ...value.slice(from + gone)];
        return value;
    }
}

function readRecord(text) {
    const whole = /^\{"wholes":(\d+),/.exec(text);
    if (whole) Wholes.records.push([Number(whole[1]), text]);
    if (whole) return true;
    const chunk = /^\{"first":(\d+),/.exec(text);
    if (chunk) {
        if (!text.endsWith("]}")) return false;
        chunks.push(new Chunk(Number(chunk[1]), text));
        return true;
    }
    const record = parseRecord(text);
    if (!record) return false;
    if ("code" in record) codes[record.code] = record;
    else if ("source" in record) {
        record.lines = "text" in record ? linesOf(record.text) : null;
        sources[record.source] = record;
    } else end = record;
    return true;
}

function readRecords() {
    for (const element of document.querySelectorAll('script[type="application/json"]')) {
        if (!readRecord(element.textContent)) break;
        element.remove();
    }
    const last = chunks[chunks.length - 1];
    total = end && end.limit ? end.end : last ? last.first + last.steps.length : 0;
}

// The last of what is ordered by a number that is smaller than this one, or the first.
function lastBefore(list, number, numberOf) {
    let low = 0, high = list.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (numberOf(list[middle]) < number) low = middle;
        else high = middle - 1;
    }
    return list[low];
}

// A chunk begins with the last step of the one before once more: that one is taken from there.
const chunkOf = step => lastBefore(chunks, step, chunk => chunk.first);

// ---- the state of a step

let total = 0; // how many steps there are

// A value in the state: its text, of a long one with the number of the `whole`; or the `object` that it is. null = an
// empty slot.
function valueOf(state, number) {
    if (number === undefined || number < 0) return null;
    if (number & 1) return { object: number >> 1, ...state.objects[number >> 1] };
    const [text, whole] = state.chunk.texts[number >> 1].split("\u0001");
    return { text, whole };
}

function newState(chunk) {
    return { chunk, frames: [], depth: 0, objects: [], changed: new Map(), offset: 0, events: [] };
}

function newFrame(number, code, offset) {
    return { number, code, offset, slots: [], stack: [], blocks: [], names: new Map() };
}

// The key of a cell's writes: cells are known by their place in all chunks.
const cellKey = object => "cell:" + object.place;

// The variables that hold an object which has changed in place: that is a write of each of them.
function writeHolders(state, object, write) {
    const number = 2 * object + 1;
    for (const frame of state.frames) {
        if (!frame) continue;
        frame.slots.forEach((held, slot) => { if (held === number) write(frame.code + ":" + slot); });
        for (const [name, held] of frame.names) if (held === number) write(frame.code + "=" + name);
    }
    for (const held of state.objects) if (held && held.form === CELL && held.values[0] === number) write(cellKey(held));
}

// An object is new, or is another than before: `changed` has the positions of its values that are others.
function setObject(state, number, object, write) {
    const old = state.objects[number];
    state.objects[number] = object;
    if (!old) return;
    const positions = new Set();
    const count = Math.max(old.values.length, object.values.length);
    for (let i = 0; i < count; i++) if (old.values[i] !== object.values[i]) positions.add(i);
    noteChange(state, number, positions, old.head !== object.head, write);
}

function noteChange(state, number, positions, isHead, write) {
    const object = state.objects[number];
    state.changed.set(number, { positions, isHead });
    if (!write) return;
    if (object.form === CELL) write(cellKey(object));
    writeHolders(state, number, write);
}

function setItems(state, record, at, write) {
    const [number, size, from, gone, count] = record.slice(at, at + 5), old = state.objects[number];
    const values = old.values.slice(), positions = new Set();
    values.splice(from, gone, ...record.slice(at + 5, at + 5 + count));
    for (let i = from; i < from + count; i++) positions.add(i);
    state.objects[number] = { ...old, size, values };
    noteChange(state, number, positions, false, write);
}

// Changes the state by one step. `write(key)` hears of what is written into variables.
function apply(state, record, write) {
    let depth = state.depth;
    forEachChange(record, (change, at) => {
        if (change === DEPTH) depth = record[at];
        if (change === ENTER) depth = Math.max(depth, record[at] + 1);
    });
    state.depth = depth;
    state.frames.length = Math.min(state.frames.length, depth);
    for (let i = depth - FRAMES_SHOWN - 1; state.frames[i]; i--) state.frames[i] = null;
    state.events = [];
    state.changed.clear(); // by the number of the object
    state.offset = record[0];
    let frame = state.frames[depth - 1]; // the first changes are about the innermost one
    forEachChange(record, (change, at) => {
        const a = record[at], b = record[at + 1];
        switch (change) {
        case FRAME: frame = state.frames[a]; break;
        case STACK: frame.stack.length = a; frame.stack.push(...record.slice(at + 2, at + 2 + b)); break;
        case PUSH: frame.stack.push(a); break;
        case POP: frame.stack.length -= a; break;
        case SLOT: frame.slots[a] = b; if (write) write(frame.code + ":" + a); break;
        case BLOCKS: frame.blocks = record.slice(at + 1, at + 1 + 2 * a); break;
        case ENTER: frame = state.frames[a] = newFrame(a, b, record[at + 2]); break;
        case OBJECT:
            setObject(state, a, { form: b, place: record[at + 2], head: state.chunk.texts[record[at + 3]], cls: record[at + 4],
                                  attributes: record[at + 5], size: record[at + 6],
                                  values: record.slice(at + 8, at + 8 + record[at + 7]),
                                  whole: state.objects[a]?.whole ?? -1, isStale: state.objects[a]?.isStale ?? 0 }, write);
            break;
        case ITEMS: setItems(state, record, at, write); break;
        case WHOLE: state.objects[a] = { ...state.objects[a], whole: b, isStale: record[at + 2] }; break;
        case NAME: {
            const name = state.chunk.texts[a];
            frame.names.set(name, b);
            if (write) write(frame.code + "=" + name);
            break;
        }
        case NO_NAMES: frame.names.clear(); break;
        case PLACE: frame.offset = a; break;
        case NOTE: state.events.push({ kind: a, text: state.chunk.texts[b] }); break;
        }
    });
    if (depth > 0 && state.frames[depth - 1]) state.frames[depth - 1].offset = state.offset;
}

function stateAt(step) {
    const chunk = chunkOf(step), state = newState(chunk), steps = chunk.steps;
    for (let i = 0; i <= step - chunk.first; i++) apply(state, steps[i], null);
    return state;
}

// ---- what is gathered from the whole run, once: output, the cache, and who writes what where

const output = [], outputSteps = [], cacheEvents = [], writes = new Map();
const codeOfStep = [], depthOfStep = [], offsetOfStep = []; // of the innermost frame; code -1 = none
let chunksRead = 0;
let keysWritten = [], stored = null; // by the step that was read last

function noteWrite(key, step) {
    const steps = writes.get(key) || [];
    if (steps[steps.length - 1] !== step) steps.push(step);
    writes.set(key, steps);
}

// The variable that the instruction which comes next stores to, even if the value stays the same.
function storedBy(state) {
    const frame = state.frames[state.depth - 1], code = frame && codes[frame.code];
    const row = code && code.rows[state.offset / 2];
    if (!row) return null;
    if (row[0] === "STORE_FAST" || row[0] === "DELETE_FAST") return frame.code + ":" + row[1];
    if (row[0] === "STORE_NAME" || row[0] === "DELETE_NAME") return frame.code + "=" + row[2];
    if (row[0] !== "STORE_DEREF" && row[0] !== "DELETE_DEREF") return null;
    const value = valueOf(state, frame.slots[code.kinds.lastIndexOf("l") + 1 + row[1]] ?? -1);
    return value && value.form === CELL ? cellKey(value) : null;
}

// The step after the last instruction of a program that an exception has ended: its outermost frame
// was left by one, and is no more.
let crashStep = Infinity;

function gather(record, step, state) {
    let outermostGone = false;
    for (const key of keysWritten) noteWrite(key, step);
    if (stored) noteWrite(stored, step);
    keysWritten = [];
    stored = storedBy(state);
    const frame = state.frames[state.depth - 1], texts = state.chunk.texts;
    codeOfStep.push(frame ? frame.code : -1);
    depthOfStep.push(state.depth);
    offsetOfStep.push(state.offset);
    forEachChange(record, (change, at) => {
        if ((change === DEPTH || change === ENTER) && record[at] === 0) outermostGone = true;
        if (change === OUTPUT) {
            output.push({ step, error: record[at] === 2, text: texts[record[at + 1]] });
            outputSteps.push(step);
        }
        if (change === CACHE) cacheEvents.push({ step, texts, code: record[at], mark: record[at + 1],
                                                 numbers: record.slice(at + 3, at + 3 + 5 * record[at + 2]) });
    });
    if (outermostGone && state.events.some(event => event.kind === LEFT_BY_EXCEPTION)) crashStep = step;
}

function readChunk() {
    const chunk = chunks[chunksRead], state = newState(chunk), write = key => keysWritten.push(key);
    chunk.steps.forEach((record, index) => {
        const isNew = index > 0 || chunksRead === 0;
        apply(state, record, isNew ? write : null);
        if (isNew) gather(record, chunk.first + index, state);
    });
    chunksRead++;
}

const isReadUp = () => chunksRead === chunks.length;

// Reads on for so many milliseconds. Returns whether all is read.
function readOn(milliseconds) {
    const until = performance.now() + milliseconds;
    while (!isReadUp() && performance.now() < until) readChunk();
    return isReadUp();
}

// What is asked of a step that was not read yet is read first.
function readUpTo(step) {
    while (!isReadUp() && codeOfStep.length <= step) readChunk();
}

function countUpTo(steps, step) {
    let low = 0, high = steps.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (steps[middle] <= step) low = middle + 1;
        else high = middle;
    }
    return low;
}
