// minivm for a page: the module, compiled once, and runs of it.
//
//     const machine = new Machine(worker);
//     machine.take(part); ... machine.takeLast();          the packed module
//     const run = machine.run({files, words, onOutput, onInput});
//     run.stop();                                          ends it now, whatever it does
//     const {status, files, failed} = await run.ended;     status null: stopped
//
// `worker` is the text of a worker (emcc's glue and worker.js). The module is packed (gzip, base64); a page has
// it in parts, so that it is unpacked and compiled while the rest of the page is still read. `files` are {name, text}; `words` is the command line.
// onOutput(text, isError) is called as output comes, onTooMuch(bound) when there is more than mostOutput
// bytes; onInput() is asked for a line, by a promise: null is the end of input. Or `stdin` is all the input.

const MOST_OUTPUT = 300000; // bytes of one run that are shown
const WARM_UP = "def f(n):\n    s = 0\n    for i in range(n):\n        s = s + i * 2 % 7\n    return s\nf(300000)\n";

function bytesOfBase64(text) {
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

async function throughStream(bytes, stream) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

class Machine {
    constructor(worker) {
        const {readable, writable} = new DecompressionStream("gzip"), headers = {"Content-Type": "application/wasm"};
        this.worker = URL.createObjectURL(new Blob([worker], {type: "text/javascript"}));
        this.packed = writable.getWriter();
        this.module = WebAssembly.compileStreaming(new Response(readable, {headers}));
    }

    take(part) {
        this.packed.write(bytesOfBase64(part));
    }

    takeLast() {
        this.packed.close();
    }

    run(what) {
        return new Run(this, what);
    }

    // The engine makes fast code of what has run often; later runs find it.
    warmUp() {
        return this.run({files: [{name: "warm.mpy", text: WARM_UP}], words: ["warm.mpy"]}).ended;
    }
}

class Run {
    constructor(machine, {files, words, keep, stdin, mostOutput = MOST_OUTPUT, onOutput, onTooMuch, onInput}) {
        this.machine = machine;
        this.what = {files, words: ["minivm", ...words], keep, stdin, mostOutput};
        this.onOutput = onOutput || (() => {});
        this.onTooMuch = onTooMuch || (bound => this.onOutput(`\n(More than ${bound} characters of output: the rest is not shown.)\n`, true));
        this.onInput = onInput || (async () => null);
        this.lines = [];
        this.decoders = [new TextDecoder(), new TextDecoder()];
        this.ended = new Promise(resolve => { this.resolve = resolve; });
        machine.module.then(module => this.begin({module}), error => this.end({failed: String(error)}));
    }

    begin(more) {
        if (this.isOver) return;
        this.again = more;
        this.worker = new Worker(this.machine.worker);
        this.worker.onmessage = event => this.take(event.data);
        this.worker.onerror = event => this.end({failed: event.message || "the worker has failed"});
        this.worker.postMessage({...this.what, ...more, input: this.lines});
    }

    take(message) {
        if (message.output) this.onOutput(this.decoders[+message.isError].decode(message.output, {stream: true}), message.isError);
        else if (message.tooMuch) this.onTooMuch(message.tooMuch);
        else if (message.wants) this.askForLine(message);
        else this.end({status: message.ended, files: message.files, failed: message.failed});
    }

    // A worker that cannot wait sends its journal with the question, and is over.
    async askForLine({journal, shown}) {
        const line = await this.onInput();
        if (this.isOver) return;
        if (!journal) {
            this.worker.postMessage({line});
            return;
        }
        this.worker.terminate();
        this.lines.push(line);
        this.begin({...this.again, journal, toSkip: shown});
    }

    end({status = null, files = [], failed}) {
        if (this.isOver) return;
        this.isOver = true;
        if (this.worker) this.worker.terminate();
        this.resolve({status, files, failed});
    }

    stop() {
        this.end({});
    }
}
