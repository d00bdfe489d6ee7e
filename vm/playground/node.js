// minivm under node: emcc puts this before the glue of build/wasm/minivm.js.
//
// Files are the real ones. emcc's glue takes every standard stream for a terminal without a name, and would
// fetch() the module where node knows the word, but no file of that kind. A duplicate of a descriptor is a
// file that it opens again, under the number that was asked for, free or not: a standard stream would be
// emptied, and two duplicates become one. Its numbers need not be node's, but some calls take them for those.
Module.wasmBinary = require("fs").readFileSync(__dirname + "/minivm.wasm");
Module.onRuntimeInitialized = () => {
    const isTerminal = require("tty").isatty, names = ["/dev/stdin", "/dev/stdout", "/dev/stderr"];
    const open = FS.open, close = FS.close;
    names.forEach((path, i) => Object.assign(FS.streams[i], {path, tty: isTerminal(i)}));
    FS.open = (path, flags, mode, least) => {
        const standard = FS.streams[names.indexOf(path)], fd = FS.nextfd(least);
        return standard ? FS.streams[fd] = Object.assign({}, standard, {fd, isDuplicate: true}) : open(path, flags, mode, fd);
    };
    FS.close = stream => stream.isDuplicate ? FS.closeStream(stream.fd) : close(stream);
    for (const name of ["ftruncate", "fchmod", "fchown"]) {
        const call = FS[name];
        FS[name] = (fd, ...more) => call(SYSCALLS.getStreamFromFD(fd).nfd, ...more);
    }
};
