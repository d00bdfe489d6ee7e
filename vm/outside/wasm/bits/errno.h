// What <errno.h> gives minivm when it is built for WebAssembly, in place of the C library's own
// bits/errno.h: the names, with Linux's numbers. vm/outside/system_wasm.c translates.
#pragma once

enum ErrorNumber {
#define ERROR(name, wasi, linux, text) name = linux,
#include "vm/outside/wasm/errors.def"
#undef ERROR
    EWOULDBLOCK = EAGAIN,
    EOPNOTSUPP = ENOTSUP,
    EDEADLOCK = EDEADLK,
};
