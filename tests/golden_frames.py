"""What log_frames.c would print under CPython: the same hook, installed in CPython 3.9 itself.

    PYTHONHASHSEED=0 python3.9 tests/golden_frames.py < tests/plugins/every_kind.mpy 2> tests/plugins/every_kind.expected

Needs a C compiler and CPython's headers. In a module of C, so that the hook has no frames of its own.
"""
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile

HOOK = r"""
#include <Python.h>
#include <frameobject.h>

static const char *name_of(PyFrameObject *frame)
{
    return frame ? PyUnicode_AsUTF8(frame->f_code->co_name) : "nowhere";
}

static PyObject *log_frame(PyThreadState *thread, PyFrameObject *frame, int throwflag)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const char *file = PyUnicode_AsUTF8(frame->f_code->co_filename);
    if (strstr(file, "every_kind.mpy") || file[0] == '<') {
        PyFrameObject *back = frame->f_back;
        if (back && strstr(PyUnicode_AsUTF8(back->f_code->co_filename), "golden_frames.py")) back = NULL;
        fprintf(stderr, "%s from %s at %d%s\n", name_of(frame), name_of(back), frame->f_lasti,
                throwflag ? " throwing" : "");
    }
    PyErr_Restore(type, value, traceback);
    return _PyEval_EvalFrameDefault(thread, frame, throwflag);
}

static PyObject *install(PyObject *module, PyObject *ignored)
{
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), log_frame);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"install", install, METH_NOARGS, NULL}, {NULL}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "log_frames", NULL, -1, methods};

PyMODINIT_FUNC PyInit_log_frames(void)
{
    return PyModule_Create(&definition);
}
"""


def build(folder):
    source, library = folder + "/log_frames.c", folder + "/log_frames.so"
    with open(source, "w") as file:
        file.write(HOOK)
    include = sysconfig.get_paths()["include"]
    subprocess.run(["cc", "-shared", "-fPIC", "-I", include, "-o", library, source], check=True)
    spec = importlib.util.spec_from_file_location("log_frames", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


with tempfile.TemporaryDirectory() as temporary:
    hook = build(temporary)
program = compile(sys.stdin.read(), "every_kind.mpy", "exec")
names = {"__name__": "__main__", "__builtins__": __builtins__}
hook.install()
exec(program, names)
sys.stderr.flush()
os._exit(0)
