// One run of minivm, in a Web Worker of its own: the page makes a worker for each run and throws it
// away after it (machine.js), so that nothing is left of a run and Stop is the worker's end.
//
// The page sends what to run:
//
//     {module, files, words, stdin, input, journal, toSkip, keep, mostOutput}
//
// and gets {output, isError}, {wants: true} when the program reads a line that is not there yet, and at the
// end {ended: status, files}. Where the engine can suspend a call (JSPI), the page then sends {line}, or
// {line: null} for the end of input. Where it cannot, the run ends with {wants, journal, shown}: the page
// asks for the line and runs the program again, with all lines so far. The journal then gives clocks and
// random numbers as they were, so the program gets as far as it was, and what was shown is skipped.
const canSuspend = typeof WebAssembly.Suspending === "function" && typeof WebAssembly.promising === "function";
const FOLDER = "/program"; // where the files are
const ROUND_MS = 16; // so often the page draws: in that time there are
const MOST_MESSAGES = 100; // no more messages than this one, but longer ones

// ---- what a run leaves to chance, written down

let journal = [], answered = 0;

function fromJournal(live) {
    if (answered === journal.length) journal.push(live());
    return journal[answered++];
}

function keepJournal() {
    const now = Date.now, since = performance.now.bind(performance), random = crypto.getRandomValues.bind(crypto);
    Date.now = () => fromJournal(now);
    performance.now = () => fromJournal(since);
    crypto.getRandomValues = bytes => {
        bytes.set(fromJournal(() => [...random(bytes)]));
        return bytes;
    };
}

// ---- output: at once, unless it comes faster than the page can draw

let shown = 0, toSkip = 0, mostOutput = 0, waiting = [], isErrorWaiting = false, roundBegan = 0, messages = 0;
const clock = performance.now.bind(performance);

function flush() {
    if (!waiting.length) return;
    postMessage({output: Uint8Array.from(waiting), isError: isErrorWaiting});
    waiting = [];
    messages++;
}

function mayPost() {
    const now = clock();
    if (now - roundBegan > ROUND_MS) [roundBegan, messages] = [now, 0];
    return messages < MOST_MESSAGES;
}

function show(bytes, isError) {
    if (isError !== isErrorWaiting) flush();
    isErrorWaiting = isError;
    for (const byte of bytes) {
        if (shown++ < toSkip) continue;
        if (shown <= mostOutput) waiting.push(byte);
    }
    if (shown > mostOutput && shown - bytes.length <= mostOutput) {
        flush();
        postMessage({tooMuch: mostOutput});
    }
    if (waiting.length > 4096 || mayPost()) flush();
}

// ---- input: whole lines, or all of it at once

class InputNeeded extends Error {}

let input = [], inputEnded = false, whenLine = null;

function takeLine(line) {
    if (line === null) inputEnded = true;
    else input.push(...new TextEncoder().encode(line + "\n"));
}

function takeAll(text) {
    input = Array.from(new TextEncoder().encode(text));
    inputEnded = true;
}

// The line, or a promise of it.
function needLine() {
    flush();
    if (!canSuspend) throw new InputNeeded();
    postMessage({wants: true});
    return new Promise(resolve => { whenLine = resolve; });
}

// ---- the run

// Wraps what the module takes from emcc's glue for reading and writing: descriptors 0 to 2 are the page's.
function replaceStreams(imports, memory) {
    const system = imports.wasi_snapshot_preview1;
    const {fd_read, fd_write} = system;
    const parts = (vector, count) => {
        const words = new Uint32Array(memory().buffer, vector, 2 * count);
        return Array.from({length: count}, (_, i) => new Uint8Array(memory().buffer, words[2 * i], words[2 * i + 1]));
    };
    const answer = (at, count) => {
        new Uint32Array(memory().buffer, at, 1)[0] = count;
        return 0;
    };
    const readInput = (vector, count, result) => {
        let size = 0;
        for (const part of parts(vector, count)) {
            const bytes = input.splice(0, part.length);
            part.set(bytes);
            size += bytes.length;
        }
        return answer(result, size);
    };
    const read = (descriptor, vector, count, result) => {
        if (descriptor !== 0) return fd_read(descriptor, vector, count, result);
        return readInput(vector, count, result);
    };
    const await_line = () => input.length || inputEnded ? undefined : needLine();
    imports.env.await_line = canSuspend ? new WebAssembly.Suspending(await_line) : await_line;
    system.fd_read = read;
    system.fd_write = (descriptor, vector, count, result) => {
        if (descriptor !== 1 && descriptor !== 2) return fd_write(descriptor, vector, count, result);
        let size = 0;
        for (const part of parts(vector, count)) {
            show(part, descriptor === 2);
            size += part.length;
        }
        return answer(result, size);
    };
}

// The words of the command line, in the module's memory, for main(argc, argv).
function putWords(minivm, words) {
    const places = words.map(word => {
        const bytes = new TextEncoder().encode(word + "\0"), place = minivm.stackAlloc(bytes.length);
        minivm.HEAPU8.set(bytes, place);
        return place;
    });
    const table = minivm.stackAlloc(4 * (places.length + 1));
    new Uint32Array(minivm.HEAPU8.buffer, table, places.length + 1).set([...places, 0]);
    return table;
}

async function run({module, files, words, keep}) {
    let exports;
    const minivm = await createMinivm({
        noInitialRun: true,
        noExitRuntime: false,
        instantiateWasm: (imports, receive) => {
            replaceStreams(imports, () => exports.memory);
            WebAssembly.instantiate(module, imports).then(instance => {
                exports = instance.exports;
                receive(instance, module);
            });
            return {};
        },
    });
    minivm.FS.mkdir(FOLDER);
    minivm.FS.chdir(FOLDER);
    for (const {name, text} of files) writeFile(minivm.FS, name, text);
    const before = new Set(minivm.FS.readdir("."));
    const status = await callMain(minivm, exports, words);
    flush();
    const made = minivm.FS.readdir(".").filter(name => keep || !before.has(name)).filter(name => minivm.FS.isFile(minivm.FS.stat(name).mode));
    postMessage({ended: status, files: made.map(name => ({name, bytes: minivm.FS.readFile(name)}))});
}

function writeFile(system, name, text) {
    const path = FOLDER + "/" + name;
    system.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    system.writeFile(path, text);
}

async function callMain(minivm, exports, words) {
    const main = canSuspend ? WebAssembly.promising(exports.main) : exports.main;
    try {
        return await main(words.length, putWords(minivm, words));
    } catch (error) {
        if (error && error.name === "ExitStatus") return error.status;
        throw error;
    }
}

function sayWhatFailed(error) {
    flush();
    if (error instanceof InputNeeded) postMessage({wants: true, journal, shown});
    else if (error instanceof RangeError) postMessage({failed: "the browser's stack is full"});
    else postMessage({failed: String(error && error.stack || error)});
}

onmessage = ({data}) => {
    if ("line" in data) {
        takeLine(data.line);
        whenLine();
        return;
    }
    mostOutput = data.mostOutput;
    if (data.stdin !== undefined) takeAll(data.stdin);
    for (const line of data.input || []) takeLine(line);
    if (!canSuspend) {
        journal = data.journal || [];
        toSkip = data.toSkip || 0;
        keepJournal();
    }
    run(data).catch(sayWhatFailed);
};
