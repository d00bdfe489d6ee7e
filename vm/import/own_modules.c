// See own_modules.h.
#include "vm/import/own_modules.h"

#include "objects/text/str.h"
#include "vm/import/library.h"

#include <string.h>

static const struct {
    const char *module, *imports;
} rows[] = {
#define IMPORTED_BY(module, imports) {module, imports},
#include "vm/import/cpython_imports.def"
#undef IMPORTED_BY
};

// The names of each kind, each with a blank after it. (`sys` and `builtins` are always loaded.)
static const struct {
    ModuleOrigin origin;
    const char *names;
} origins[] = {
    {ORIGIN_LOADED,
     "_abc _ast _codecs _collections _functools _imp _io _locale _operator _signal _sre _stat "
     "_string _symtable _thread _tracemalloc _warnings _weakref atexit errno faulthandler gc "
     "itertools marshal posix pwd time "
     "_bootlocale _collections_abc _frozen_importlib _frozen_importlib_external _sitebuiltins abc "
     "codecs encodings genericpath io os posixpath site stat zipimport "},
    {ORIGIN_SHARED, "_bisect _blake2 _heapq _json _opcode _random _struct array datetime math "
                    "unicodedata "},
};

// What CPython's library has, and vm/lib/ has not or need not have.
static const char cpython_library[] =
    "_aix_support _bootsubprocess _compat_pickle _compression _ctypes _curses _dbm _decimal "
    "_elementtree _gdbm _lsprof _lzma _markupbase _osx_support _py_abc _pydecimal _pyio _sqlite3 "
    "_ssl _testcapi _threading_local _tkinter _uuid _zoneinfo aifc antigravity asynchat asyncio "
    "asyncore binhex bz2 cgi cgitb chunk code codecs codeop colorsys compileall "
    "concurrent configparser contextvars crypt curses dbm decimal distutils email encodings "
    "ensurepip fcntl filecmp fileinput formatter ftplib getopt getpass gettext gzip hmac html http "
    "idlelib imaplib imghdr imp ipaddress lib2to3 locale lzma mailbox mailcap mimetypes "
    "modulefinder multiprocessing netrc nis nntplib ntpath nturl2path optparse ossaudiodev "
    "parser pickletools pipes platform plistlib poplib pty py_compile "
    "pyclbr pydoc_data quopri readline resource secrets selectors shelve shutil site smtpd "
    "smtplib sndhdr socket socketserver spwd sqlite3 sre_parse stringprep subprocess sunau symbol "
    "sysconfig syslog tabnanny tarfile telnetlib test this threading tkinter tracemalloc tty "
    "turtle turtledemo urllib uu uuid venv wave webbrowser wsgiref xdrlib xml.dom xml.parsers "
    "xml.sax xmlrpc zipapp zipfile zoneinfo ";

static bool has_word(const char *words, const char *word, size_t size)
{
    for (const char *at = words; *at; at += strcspn(at, " ") + 1)
        if (strncmp(at, word, size) == 0 && at[size] == ' ') return true;
    return false;
}

static const char *imports_of(const char *module, size_t size)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(rows[i].module, module, size) == 0 && !rows[i].module[size])
            return rows[i].imports;
    return NULL;
}

bool cpython_has(ValueRef name)
{
    size_t size;
    const char *text = str_utf8(name, &size);
    return text && has_word(cpython_library, text, size);
}

// A file of a package that is one file in CPython has the row of that: argparse/_help, argparse.
bool cpython_imports(ValueRef filename, ValueRef name)
{
    const char *module = str_utf8(filename, NULL), *wanted = str_utf8(name, NULL);
    if (!module || !wanted) return false;
    module += sizeof LIBRARY_ENTRY;
    size_t first = strcspn(module, "/."), size = strcspn(wanted, ".");
    const char *imports = imports_of(module, strcspn(module, "."));
    if (!imports) imports = imports_of(module, first);
    return imports && has_word(imports, wanted, size);
}

ModuleOrigin module_origin(ValueRef name)
{
    size_t size;
    const char *text = str_utf8(name, &size);
    for (size_t i = 0; text && i < sizeof origins / sizeof *origins; i++)
        if (has_word(origins[i].names, text, size)) return origins[i].origin;
    return ORIGIN_PATH;
}
