// minivm under node: emcc puts this before the glue of build/wasm/minivm.js.
//
// Files are the real ones. emcc's glue takes every standard stream for a terminal without a name, and would
// fetch() the module where node knows the word, but no file of that kind.
Module.wasmBinary = require("fs").readFileSync(__dirname + "/minivm.wasm");
Module.onRuntimeInitialized = () => {
    const isTerminal = require("tty").isatty;
    ["/dev/stdin", "/dev/stdout", "/dev/stderr"].forEach((path, i) => Object.assign(FS.streams[i], {path, tty: isTerminal(i)}));
};
