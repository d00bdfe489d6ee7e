# minivm: `make` builds ./minivm; `make check` builds and runs every test.
#
# MODE is release, debug (counts every block and asserts at the end that none is left), asan, core or wasm (below); EXTRA adds
# switches of objects/config.h, e.g. `make check MODE=debug EXTRA=-DDEBUG_GC_STRESS=1 BUILD=build/gc`.
# HOSTCC makes what runs during the build, where CC makes programs for another machine.
# There is a rule for every file here: to look through make's own for each takes a quarter of a second.
MAKEFLAGS += --no-builtin-rules
CC ?= cc
HOSTCC ?= cc
MODE ?= release
BUILD ?= build/$(MODE)
PREFIX ?= /usr/local
DESTDIR ?=
STRIP ?= strip
PYTHON ?= python3.9
# The texts that the course grew from, and programs with PyTorch's answers: what needs them is skipped where they are not.
SEEDS ?= ../shared/seeds
GOLDENS ?= ../shared/torch

WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Werror
BASE = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -I. $(WARNINGS) \
       -ffp-contract=off -fno-strict-aliasing -fwrapv $(DEBUG_INFO) -MMD -MP
# The program lies at a fixed address, so that the loop's tables are reached without a detour: 3% of its time.
CFLAGS_release = -O2 -fno-pie
# What a debugger reads stays beside the objects (.dwo); the binary has the lines, without columns, compressed: 12 MB for
# 31. Nothing unwinds these frames but a debugger, which has its own table. vm/release.ld leaves out an index of the names.
# Variables are not followed through the optimizer: a quarter of the loop's compile time. (Valgrind 3.19 reads DWARF 4.)
SPLIT = $(filter release core,$(MODE))
DEBUG_INFO = -g $(if $(SPLIT),-gdwarf-4 -gsplit-dwarf -fno-asynchronous-unwind-tables $(if $(GCC),-gno-column-info -gno-statement-frontiers \
             -fno-var-tracking))
LDFLAGS_release = -no-pie -Wl,--compress-debug-sections=zlib -Wl,-T,vm/release.ld
# For reading and for the lessons: compiled in two thirds of the time, and slower.
CFLAGS_core = -O1 -fno-pie -DCORE=1
LDFLAGS_core = $(LDFLAGS_release)
CFLAGS_debug = -O1 -DDEBUG_MEMORY=1 -DDEBUG_FAIL_ALLOC=1
CFLAGS_asan = -O1 -DDEBUG_MEMORY=1 -fsanitize=address,undefined \
              -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# WebAssembly: the C library's <errno.h> is given Linux's numbers; the end of memory moves up as it is needed.
WASM_STACK = 1572864
CFLAGS_wasm = -O2 -isystem vm/outside/wasm
LDFLAGS_wasm = -O2 -s TOTAL_STACK=$(WASM_STACK) -s INITIAL_MEMORY=16777216 -s ALLOW_MEMORY_GROWTH=1 \
               -s MAXIMUM_MEMORY=1140850688 -s EXIT_RUNTIME=1 -s WASM_BIGINT=1
FLAGS = $(BASE) $(CFLAGS_$(MODE)) $(EXTRA) $(CFLAGS)
LDLIBS = -lm -ldl -lpthread

# Calls of the loop's jump table must not be merged: each handler then predicts its successor, 11% of the instructions.
# The few slots of a new frame are emptied by stores, not by a call of memset: 0.97 to 1.03 of the time, 0.99 in the mean.
GCC := $(shell $(CC) --version 2>/dev/null | grep -q 'Free Software' && echo yes)
LOOP_FLAGS = $(if $(GCC),-fno-gcse -fno-crossjumping -fno-tree-loop-distribute-patterns)

# What depends on the system is there twice: a file of the other system is left out (vm/outside/system.h).
OTHER_SYSTEM = $(if $(filter wasm,$(MODE)),%_linux.c,%_wasm.c)
# The core has no torch, debugger and traces, and of the modules in C those that stand above `#if` in modules.def.
CORE = $(filter core,$(MODE))
CORE_ROWS = $(shell sed -n '/^\#if/q; s/^MODULE_ROW(\(.*\))/\1/p' vm/import/modules.def)
CORE_MODULES = $(foreach name,$(CORE_ROWS),$(wildcard vm/modules/mod_$(name).c) \
               $(wildcard $(addsuffix *.c,$(dir $(wildcard vm/modules/*/mod_$(name).c)))))
NOT_IN_CORE = vm/tools.c vm/debugger/% vm/trace/% $(filter-out $(CORE_MODULES),$(shell find vm/modules -name '*.c'))
# The machine whose code the JIT makes; on others there is no JIT (vm/jit/jit.h).
TRIPLE := $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null))
JIT := $(if $(filter core wasm,$(MODE)),,$(if $(GCC),$(if $(filter linux,$(TRIPLE)),$(filter x86_64 aarch64,$(firstword $(TRIPLE))))))
OTHER_MACHINES = $(filter-out vm/jit/machine_$(JIT).c,$(wildcard vm/jit/machine_*.c))
NOT_LINKED = vm/main.c vm/import/embed.c vm/jit/stencils.c $(wildcard vm/jit/extract*.c) $(if $(JIT),$(OTHER_MACHINES),vm/jit/%)
SOURCES := $(filter-out $(NOT_LINKED) $(OTHER_SYSTEM) $(if $(CORE),$(NOT_IN_CORE)), \
          $(shell find objects compiler frames vm -name '*.c'))
# The kernels of torch are compiled once for each level of the processor (vm/modules/torch/kernels/kernels.h), and where
# there are levels, the copy for any processor is for those from before 2013: small.
KERNELS := $(if $(CORE),,$(wildcard vm/modules/torch/kernels/*.c))
KERNEL_LEVELS := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),v3)
KERNEL_FLAGS = $(if $(filter wasm,$(MODE)),-O2 -fno-unroll-loops -msimd128,-O3) -fno-math-errno -fno-trapping-math
# Functions that take vectors (M_CALLED_BY_VECTORS in scalar_math.h): only where the processor has large ones.
VECTOR_CALLS = -fopenmp-simd -DVECTOR_CALLS=1
PRODUCTS = $(BUILD)/vm/modules/torch/kernels/gemm
WIDE = $(PRODUCTS) $(BUILD)/vm/modules/torch/kernels/pointwise_loops
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o) $(LIBRARY_TABLES:%=%.o) $(if $(JIT),$(BUILD)/stencil_table.o) \
          $(if $(KERNEL_LEVELS),$(KERNELS:%.c=$(BUILD)/%.v3.o) $(if $(CORE),,$(WIDE:=.v4.o)))
LIBRARY := $(filter-out $(if $(CORE),$(addprefix vm/lib/,torch/% functorch/% torchvision/% executorch/% debugger/% pdb.mpy)), \
              $(shell find vm/lib -name '*.mpy' | LC_ALL=C sort)) \
          $(if $(CORE),,$(wildcard vm/trace/page/trace_*.html vm/trace/page/trace_*.js) $(addprefix vm/modules/torch/,kernels/scalar_math.h \
              kernels/scalar_angles.h kernels/scalar_special.h kernels/scalar_polynomials.h kernels/scalar_bessel.h kernels/factor.h inductor/folds.h \
              inductor/plain.h))
LIBRARY_FOLDERS := $(patsubst %/,%,$(sort $(dir $(LIBRARY))))
LIBRARY_TABLES := $(LIBRARY_FOLDERS:%=$(BUILD)/library/%) $(BUILD)/library/index
# CHECK=own: the tests are linked with tests/portable/check.c, for platforms that have no library Check.
CHECK ?=
UNIT_SOURCES = $(filter-out $(if $(CORE),%/test_journal.c %/test_loops.c %/test_products.c),$(wildcard tests/unit/*.c)) $(if $(CHECK),tests/portable/check.c)
UNIT = $(UNIT_SOURCES:%.c=$(BUILD)/%.o)

# How far a first build is: 17/463 before the seventeenth file that is compiled. Later ones are short.
GOALS_WITH_UNIT = check suites house try $(BUILD)/unit
COMPILED := $(OBJECTS) $(BUILD)/vm/main.o $(if $(filter $(GOALS_WITH_UNIT),$(MAKECMDGOALS)),$(UNIT))
MISSING := $(filter-out $(wildcard $(COMPILED)),$(COMPILED))
STEP = $(eval DONE += x)$(if $(word $(words $(DONE)),$(MISSING)),$(words $(DONE))/$(words $(MISSING)) )

# The interpreter, ./minivm, which needs no other file. MODE=debug counts blocks of memory, MODE=asan has sanitizers.
all: minivm

minivm: $(BUILD)/minivm always # which of another MODE may be older
	@cmp -s $< $@ || cp $< $@

$(BUILD)/minivm: $(BUILD)/vm/main.o $(OBJECTS)
	@echo "LD $@"
	@$(CC) $(FLAGS) $(LDFLAGS_$(MODE)) -o $@ $^ $(LDLIBS)

# The machine alone, in build/core/: what the language needs, and lessons 1 to 10.
core:
	@$(MAKE) --no-print-directory MODE=core build/core/minivm core-size

# The tests that need no more.
core-suites:
	@MINIVM_PLATFORM=core $(MAKE) --no-print-directory MODE=core suites

# The lessons that need no more.
core-lessons:
	@for number in 1 2 3 4 5 6 7 8 9 10; do \
	    $(MAKE) --no-print-directory MODE=core lessons-short N=$$number || exit 1; \
	done

# Its lines are those of all files that the compiler has read.
core-size: $(BUILD)/minivm
	@cat $(OBJECTS:.o=.d) $(BUILD)/vm/main.d | tr ' :' '\n\n' | grep -E '^(objects|compiler|frames|vm)/.*\.(c|h|def)$$' | \
	    sort -u | xargs cat | wc -l | xargs -I LINES echo "the core: $(words $(OBJECTS)) units, LINES lines of C," \
	    "$$(wc -c < $(BUILD)/minivm) bytes: $(BUILD)/minivm"

$(BUILD)/vm/eval.o: FLAGS += $(LOOP_FLAGS)
# The debugger's programs run in the loop that can announce: of -O2 it gets what makes it faster, in two thirds of the
# time, and not what makes it slower (the scheduler, larger blocks).
FASTER_OBSERVED = $(if $(GCC),-fexpensive-optimizations -fpeephole2 -flra-remat -fcaller-saves -fthread-jumps -ftree-vrp -fcse-follow-jumps \
                  -frerun-cse-after-loop)
$(BUILD)/vm/eval_observed.o: FLAGS += $(LOOP_FLAGS) $(if $(SPLIT),-O1 $(FASTER_OBSERVED))

# A page is handed on, so what is seldom run is made small there, and kernels are not unrolled.
ifeq ($(MODE),wasm)
SELDOM = compiler frames/cache frames/guards objects/exceptions objects/looking objects/marshal \
         $(addprefix vm/,ast builtins debugger import io modules outside prompt settrace sys trace)
OFTEN = $(KERNELS) vm/modules/re/regex_match.c
$(filter-out $(OFTEN:%.c=$(BUILD)/%.o),$(filter $(SELDOM:%=$(BUILD)/%/%),$(OBJECTS))): FLAGS += -Os
endif

# In the binary what waits for a person, or is asked for now and then, is.
ifeq ($(MODE),release)
$(filter $(BUILD)/vm/prompt/% $(BUILD)/vm/sys/% $(BUILD)/vm/ast/%,$(OBJECTS)): FLAGS += -Os
endif

ifneq ($(filter release wasm,$(MODE)),)
$(KERNELS:%.c=$(BUILD)/%.o) $(BUILD)/objects/tensor/convert.o: FLAGS += $(KERNEL_FLAGS)
$(KERNELS:%.c=$(BUILD)/%.o): FLAGS += $(if $(KERNEL_LEVELS),-Os)
endif
# Vectors gain a factor of five where whole texts change their width or are looked through, and for digits of large ints;
# of three for a new state of random numbers.
# A loop of a few instructions that lies across 32 bytes takes half as long again: where it lies is not left to chance.
ifneq ($(filter release wasm,$(MODE)),)
$(addprefix $(BUILD)/objects/,text/text.o text/search.o text/str.o text/utf8.o bytes/bytes.o bytes/codecs_utf.o containers/list.o numbers/int_arith.o): FLAGS += -O3 $(if $(GCC),-falign-loops=32)
$(BUILD)/objects/containers/sort.o: FLAGS += $(if $(GCC),-falign-functions=32)
$(BUILD)/vm/modules/torch/random_generator.o: FLAGS += -O3
endif
$(BUILD)/vm/modules/torch/call/processor.o: FLAGS += $(if $(KERNEL_LEVELS),-DKERNEL_LEVELS=1)

# Products alone are contracted to FMA: gemm.h says in which order they are added.
$(PRODUCTS).o $(PRODUCTS).v3.o $(PRODUCTS).v4.o: FLAGS += -ffp-contract=fast

# What is left over after whole vectors is done one by one: with half vectors for it the loops of pointwise rows, of
# which there are two thousand, would be half as long again.
$(BUILD)/vm/modules/torch/kernels/pointwise_loops.v3.o: FLAGS += $(if $(GCC),--param=vect-epilogues-nomask=0)

$(BUILD)/%.v3.o: %.c
	@mkdir -p $(@D)
	@echo "$(STEP)CC $< (v3)"
	@$(CC) $(FLAGS) $(KERNEL_FLAGS) $(VECTOR_CALLS) -march=x86-64-v3 -DKERNEL_LEVEL=v3 -c -o $@ $<

$(BUILD)/%.v4.o: %.c
	@mkdir -p $(@D)
	@echo "$(STEP)CC $< (v4)"
	@$(CC) $(FLAGS) $(KERNEL_FLAGS) $(VECTOR_CALLS) -march=x86-64-v4 -mprefer-vector-width=512 -DKERNEL_LEVEL=v4 -DWIDE=1 -c -o $@ $<

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "$(STEP)CC $<"
	@$(CC) $(FLAGS) -c -o $@ $<

# The library is compiled ahead by minivm's own compiler, in a program of this build (vm/import/embed.c). One for another
# machine, or with debug switches, takes that of build/host.
EMBED_OBJECTS = $(BUILD)/vm/import/embed.o $(filter $(BUILD)/objects/% $(BUILD)/compiler/%,$(OBJECTS)) \
                $(patsubst %,$(BUILD)/vm/modules/zlib/%.o,deflate deflate_match block_writer code_lengths)
IS_NATIVE := $(if $(EXTRA)$(FUZZ)$(filter wasm,$(MODE)),,$(filter $(shell $(CC) -dumpmachine),$(shell $(HOSTCC) -dumpmachine)))
EMBED = $(if $(IS_NATIVE),$(BUILD),build/host)/embed

$(BUILD)/embed: $(EMBED_OBJECTS)
	@$(CC) $(FLAGS) $(LDFLAGS_$(MODE)) -o $@ $^ $(LDLIBS)

ifeq ($(IS_NATIVE),)
$(EMBED): always
	@$(MAKE) --no-print-directory MODE=core BUILD=build/host CC="$(HOSTCC)" CFLAGS= EXTRA= FUZZ= $@
endif

# A table for each folder, and the list of all files. A compiler that crashes leaves its work to the program. (Whoever
# changes objects/ need not compile the same tables again.) There is no line in them for a debugger.
NEWER = @cmp -s $(1).new $(1).c || cp $(1).new $(1).c; touch $(1).stamp

.SECONDEXPANSION:
$(LIBRARY_FOLDERS:%=$(BUILD)/library/%.stamp): $(BUILD)/library/%.stamp: $(EMBED) % $$(filter $$(wildcard $$*/*),$$(LIBRARY))
	@mkdir -p $(@D)
	@$(EMBED) vm/lib $(wordlist 3,999,$^) > $(@:stamp=new) || $(EMBED) --texts vm/lib $(wordlist 3,999,$^) > $(@:stamp=new)
	$(call NEWER,$(basename $@))

$(BUILD)/library/index.stamp: $(EMBED) $(LIBRARY_FOLDERS)
	@mkdir -p $(@D)
	@$(EMBED) --index vm/lib $(LIBRARY) > $(@:stamp=new)
	$(call NEWER,$(basename $@))

$(LIBRARY_TABLES:%=%.c): %.c: %.stamp ;

$(LIBRARY_TABLES:%=%.o): %.o: %.c
	@echo "$(STEP)CC $<"
	@$(CC) $(FLAGS) -g0 -c -o $@ $<

# Each stencil in a section of its own, without anything around its code. It calls nothing, so it has no invariants either.
# (On aarch64 the last flag keeps gcc from copying the registers before a branch and back after it, in 770 places.)
STENCIL_FLAGS_x86_64 = -fcf-protection=none
STENCIL_FLAGS_aarch64 = -mbranch-protection=none -mno-outline-atomics -fno-cse-follow-jumps
STENCIL_FLAGS = $(BASE) $(filter -D%,$(CFLAGS_$(MODE)) $(EXTRA)) -DDEBUG_INVARIANTS=0 -O2 -fno-pie -fomit-frame-pointer $(STENCIL_FLAGS_$(JIT)) \
                -fno-stack-protector -fno-asynchronous-unwind-tables -ffunction-sections -freorder-blocks-and-partition \
                $(addprefix -fno-align-,functions jumps loops labels)

$(BUILD)/extract: vm/jit/extract.c vm/jit/extract_$(JIT).c vm/jit/machine_$(JIT).c vm/jit/extract.h vm/jit/stencil.h vm/jit/holes.def
	@mkdir -p $(@D)
	@$(HOSTCC) -std=c11 -O1 -I. $(WARNINGS) -o $@ $(filter %.c,$^)

$(BUILD)/vm/jit/stencils.o: vm/jit/stencils.c
	@mkdir -p $(@D)
	@echo "$(STEP)CC $< (the JIT's stencils)"
	@$(CC) $(filter-out -g%,$(STENCIL_FLAGS)) -c -o $@ $<

$(BUILD)/stencil_table.c: $(BUILD)/extract $(BUILD)/vm/jit/stencils.o
	@$(BUILD)/extract $(BUILD)/vm/jit/stencils.o > $@.new && mv $@.new $@

$(BUILD)/stencil_table.o: $(BUILD)/stencil_table.c
	@$(CC) $(FLAGS) -c -o $@ $<

$(BUILD)/objects/memory/system_memory_wasm.o: FLAGS += -DSTACK_BYTES=$(WASM_STACK)

# ---- WebAssembly: minivm.js for node, the playground in one page, and code cells for other pages (vm/playground/)
# (Debian's emcc needs a module of node there, where a node that is not Debian's does not look.)
EMCC ?= emcc

PAGE = $(wildcard vm/playground/*.js vm/playground/*.css vm/playground/page.html vm/playground/examples/*.mpy)
# The machine in the browser, in build/wasm/; EMCC names the compiler.
wasm:
	@command -v $(lastword $(EMCC)) > /dev/null || \
	    { echo "make wasm: there is no emcc here (Debian has it in the package emscripten)"; exit 1; }
	@NODE_PATH=$${NODE_PATH:-/usr/share/nodejs} $(MAKE) --no-print-directory MODE=wasm CC="$(EMCC)" \
	    build/wasm/minivm.js build/wasm/playground.html build/wasm/minivm-cell.js

$(BUILD)/minivm.js: $(BUILD)/vm/main.o $(OBJECTS) vm/playground/node.js
	@echo "LD $@"
	@$(CC) $(LDFLAGS_wasm) -s NODERAWFS=1 -s ENVIRONMENT=node --pre-js vm/playground/node.js -o $@ $(filter %.o,$^) $(LDLIBS)

$(BUILD)/glue.js: $(BUILD)/vm/main.o $(OBJECTS)
	@echo "LD $@"
	@$(CC) $(LDFLAGS_wasm) -s MODULARIZE=1 -s EXPORT_NAME=createMinivm -s ENVIRONMENT=worker \
	    -s INVOKE_RUN=0 -s FORCE_FILESYSTEM=1 -s EXPORTED_RUNTIME_METHODS=FS,stackAlloc -o $@ $^ $(LDLIBS)

$(BUILD)/playground.html: $(BUILD)/glue.js $(PAGE)
	@node vm/playground/assemble.js $(BUILD)/glue.js $(BUILD)/glue.wasm $@ $(BUILD)/minivm-cell.js

$(BUILD)/minivm-cell.js: $(BUILD)/playground.html

# ---- plugins (--eval-frame): they see no header but their own
PLUGINS = $(patsubst %.c,$(BUILD)/plugins/%.so,$(notdir $(wildcard lessons/plugins/*.c tests/plugins/*.c)))
PLUGIN = @mkdir -p $(@D); echo "PLUGIN $@"; \
         $(CC) -std=c11 $(WARNINGS) -g $(CFLAGS_$(MODE)) -Ivm -fPIC -shared -o $@ $<

# Those of the lessons and of the tests.
plugins: $(PLUGINS)

$(BUILD)/plugins/%.so: lessons/plugins/%.c vm/minivm_plugin.h
	$(PLUGIN)

$(BUILD)/plugins/%.so: tests/plugins/%.c vm/minivm_plugin.h
	$(PLUGIN)

# ---- help

# This list: the comments that stand above the targets.
help:
	@awk -f tests/house/help.awk Makefile lessons/lessons.mk

# ---- tests
# All tests that need nothing but this machine, also where one fails: it says how far it is. The lessons are checked by
# the build that students have.
check:
	@$(MAKE) --no-print-directory --keep-going house suites $(if $(filter build/release,$(BUILD)),lessons-short)

# The programs of the tests alone, two suites at a time, or JOBS=8; S="guarded hooked": these.
suites: $(BUILD)/minivm $(BUILD)/unit plugins
	@SEEDS=$(SEEDS) tests/suites.sh $(BUILD) $(S)

# One test of any kind, by its file: make try T=tests/scripts/vm/001_hello.mpy
try: $(BUILD)/minivm $(BUILD)/unit plugins
	@tests/try.sh $(BUILD)/minivm $(BUILD)/unit $(T)

check-installed:
	@sh tests/install_check.sh

$(BUILD)/unit: $(UNIT) $(OBJECTS)
	@echo "LD $@"
	@$(CC) $(FLAGS) $(LDFLAGS_$(MODE)) -o $@ $^ $(LDLIBS) $(CHECK_LIBS)

ifeq ($(CHECK),)
CHECK_LIBS = $(shell pkg-config --libs check 2>/dev/null || echo -lcheck)
$(UNIT): | check-installed
else
$(UNIT): FLAGS += -Itests/portable
endif

COMMENTED = $(shell find objects compiler frames vm tests lessons -path lessons/work -prune -o -name '*.[ch]' -print -o -name '*.def' -print -o -path 'vm/lib/*.mpy' -print)

# The tree itself: layers, layout, words, documents (tests/house/).
house: $(BUILD)/minivm $(BUILD)/unit plugins
	@tests/house/layers.sh
	@echo $(OBJECTS) | tests/house/links.sh $(BUILD) $(CC) $(filter-out -MMD -MP -gsplit-dwarf,$(FLAGS)) $(LDFLAGS_$(MODE))
	@tests/house/values.sh
	@tests/house/sizes.sh
	@tests/house/format.sh
	@tests/house/words.sh
	@tests/house/subjects.sh
	@tests/house/findings.sh
	@$(BUILD)/minivm tests/house/comments.mpy $(COMMENTED)
	@$(BUILD)/minivm tests/house/signatures.mpy $(filter-out %.def,$(COMMENTED))
	@$(BUILD)/minivm tests/house/entries.mpy $(filter objects/%.c compiler/%.c frames/%.c vm/%.c,$(COMMENTED))
	@$(BUILD)/minivm tests/house/absent.mpy $(filter-out tests/% lessons/%,$(filter %.c %.h,$(COMMENTED)))
	@$(BUILD)/minivm tests/house/cycles.mpy $(filter-out tests/% lessons/%,$(filter %.c %.h,$(COMMENTED)))
	@$(BUILD)/minivm tests/house/library.mpy
	@tests/house/citations.sh
	@tests/house/try.sh $(BUILD)/minivm $(BUILD)/unit
	@tests/house/reading_path.sh
	@tests/house/readme.sh $(BUILD)/minivm
	@tests/house/commands.sh $(BUILD)/minivm
	@tests/house/pages.sh $(BUILD)/minivm
	@tests/house/install.sh $(BUILD)/minivm
	@$(BUILD)/minivm tests/house/seeds.mpy $(SEEDS)
	@$(BUILD)/minivm lessons/book $(BUILD)/book && $(BUILD)/minivm tests/house/book.mpy $(BUILD)/book

# C files that main does not have yet are laid out as the house has it (.clang-format).
format:
	@tests/house/format.sh --write

# All C files, where `house` looks at those that main does not have yet.
house-all:
	@tests/house/format.sh --all
	@tests/house/values.sh --all

# Surprises in other projects (findings/README.md), which are installed for it: needs the network, and minutes.
findings:
	@failed=0; for finding in findings/*.sh; do echo "== $$finding"; $$finding || failed=1; done; exit $$failed

# Adds opcodes to a scratch copy, in three places (15 seconds of compiling).
check-opcode: $(BUILD)/minivm
	tests/house/new_opcode.sh $(BUILD)

# All suites under AddressSanitizer and UBSan, or S="type list". Frames of C are larger there: recursion as deep as
# CPython's needs more stack.
SLOWLY = CK_TIMEOUT_MULTIPLIER=$${CK_TIMEOUT_MULTIPLIER:-4}
asan:
	@ulimit -s 65536 && $(SLOWLY) $(MAKE) MODE=asan suites

# The same in a build that counts every block and looks at its whole heap every N=20000 instructions.
check-heap:
	@MINIVM_CHECK_HEAP=$(or $(N),20000) $(SLOWLY) $(MAKE) MODE=debug suites

# A part of the suite under each debug switch of objects/config.h, each in a build of its own.
stress:
	$(MAKE) check MODE=debug
	tests/stress/fail_alloc.sh build/debug/minivm
	$(MAKE) fail-outside
	$(MAKE) check EXTRA=-DDEBUG_NO_QUICKEN=1 BUILD=build/no-quicken
	$(MAKE) check EXTRA=-DDEBUG_SWITCH=1 BUILD=build/switch
	$(MAKE) suites S=eval EXTRA=-DDEBUG_TRACE=1 BUILD=build/trace
	$(MAKE) check-heap
	$(MAKE) suites S=gc MODE=debug EXTRA=-DDEBUG_GC_STRESS=1 BUILD=build/gc-stress
	$(MAKE) suites S=type MODE=debug EXTRA=-DDEBUG_GC_STRESS=1 BUILD=build/gc-stress

# Each call of the operating system fails, is short or is interrupted in turn, in a corpus of programs; ONLY= names some.
fail-outside: $(BUILD)/minivm
	@$(MAKE) --no-print-directory MODE=debug build/debug/minivm build/debug/outside.so
	@$(BUILD)/minivm tests/stress/outside.mpy build/debug/minivm build/debug/outside.so $(ONLY)

$(BUILD)/outside.so: tests/stress/outside.c
	@$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) -fPIC -shared -o $@ $< -ldl

# One of the debugger's processes is killed at random, RUNS=1000 times: none of the others may stay.
kills: $(BUILD)/minivm
	@$(BUILD)/minivm tests/stress/kills.mpy $(BUILD)/minivm --runs $(or $(RUNS),1000)

# Some 180 long operations under --max-time: each ends in time. ONLY= names some.
limits: $(BUILD)/minivm
	@$(BUILD)/minivm tests/stress/limits.mpy $(BUILD)/minivm $(ONLY)

# What the suites (S= some) and tests/commands run, by gcov: a table of rooms; FILES= what of these none does. A function that
# is inlined would have its branches counted wherever that is; the counts of each run are added up in the build's folder.
COVERAGE = -Wl,--wrap=_exit --coverage
$(filter build/coverage%,$(BUILD)/minivm $(BUILD)/unit): tests/coverage.c
counted = @MINIVM=$(1)/minivm SEEDS=$(SEEDS) tests/suites.sh $(1) $(S); status=$$?; $(if $(S),,tests/house/commands.sh $(1)/minivm || status=1;) \
    $(BUILD)/minivm tests/coverage.mpy $(1) $(or $(FILES),$(2)) && exit $$status
coverage: $(BUILD)/minivm
	@$(MAKE) --no-print-directory BUILD=build/coverage CFLAGS_release="-O1 -fno-pie" SPLIT= CFLAGS="--coverage -fno-inline" \
	    LDFLAGS_release="$(LDFLAGS_release) $(COVERAGE)" build/coverage/minivm build/coverage/unit plugins
	$(call counted,build/coverage)

# Of the core alone, in a tenth of the time; a branch that nothing takes has its reason in tests/uncovered.txt, or this fails.
coverage-core: $(BUILD)/minivm
	@$(MAKE) --no-print-directory BUILD=build/coverage-core COUNTED="$$($(BUILD)/minivm tests/coverage.mpy --core) vm/eval_observed.c" \
	    LDFLAGS_release="$(LDFLAGS_release) $(COVERAGE)" build/coverage-core/minivm build/coverage-core/unit plugins
	$(call counted,build/coverage-core,$(if $(S),,--compare))

$(COUNTED:%.c=$(BUILD)/%.o): FLAGS += --coverage -fno-inline -O1

# Forty kinds of work, ITERATIONS=1000000 times: memory must not grow. ONLY= names some.
flat: $(BUILD)/minivm
	@$(BUILD)/minivm tests/stress/flat.mpy --iterations $(or $(ITERATIONS),1000000) $(ONLY)

# All suites for other machines, another C library and another compiler; what is missing is named (tests/portable/).
check-portable:
	@MAKE="$(MAKE)" GOLDENS="$(GOLDENS)" tests/portable/run.sh

# Every check there is, the long ones too; what a tool is missing for is named.
check-all:
	@MAKE="$(MAKE)" tests/check_all.sh

# The page of --trace-html, the playground and code cells in headless Chromium and Firefox; what is missing, a
# browser (CHROMIUM and FIREFOX name them) or emcc, is named.
check-browser: $(BUILD)/minivm
	@$(MAKE) --no-print-directory wasm || echo "check-browser: the playground and the code cells as they are, or not at all"
	python3 tests/browser/check.py $(BUILD)/minivm
	python3 tests/browser/playground.py $(BUILD)/minivm build/wasm/playground.html
	python3 tests/browser/cells.py $(BUILD)/minivm build/wasm/minivm-cell.js

# Golden screens of --debug=tui, in tmux; where that is missing, it is said.
check-screens: $(BUILD)/minivm
	@$(BUILD)/minivm tests/screens/check.mpy $(BUILD)/minivm

# The same screens against what CPython does.
confirm-screens:
	@PYTHONHASHSEED=0 $(PYTHON39) -B tests/screens/confirm.py

# Real clients of the Debug Adapter Protocol; what is missing for one is named. NVIM_DAP=FOLDER: a checkout of nvim-dap (its
# tag 0.6.0 for Neovim 0.7).
check-dap: $(BUILD)/minivm
	@NVIM_DAP=$(NVIM_DAP) tests/adapter/real_client.sh $(BUILD)/minivm

# Random walks by --dap against a recording in CPython.
adapter-walks: $(BUILD)/minivm
	$(PYTHON39) tests/adapter/walk.py $(BUILD)/minivm $(SEED) $(or $(STEPS),150)

# Random requests to --dap: SEED, and SESSIONS of 60; the answers against the protocol's schema, if DAP_SCHEMA names it.
fuzz-adapter: $(BUILD)/minivm
	python3 tests/adapter/fuzz.py $(BUILD)/minivm $(SEED) $(or $(SESSIONS),30) $(DAP_SCHEMA)

# The picture of the page of --trace-html in README.md and vm/README.md, drawn anew.
picture: $(BUILD)/minivm
	python3 tests/browser/check.py $(BUILD)/minivm --picture lessons/pictures/trace_page.png

# All code objects of CPython's standard library, as CPython compiles it, meet the verifier.
PYTHON39 ?= $(PYTHON)
verify-pyc: $(BUILD)/minivm
	tests/verify/standard_library.sh $(BUILD)/minivm $(PYTHON39)

# Code objects, trees, positions and speed of the compiler over CPython 3.9's standard library, against CPython's.
fidelity: $(BUILD)/minivm $(BUILD)/unit
	tests/fidelity/run.sh $(BUILD)/minivm $(BUILD)/unit $(PYTHON39)

# The decompiler over CPython 3.9's standard library: how many functions come back as the same instructions.
decompile: $(BUILD)/minivm
	tests/decompile/library.sh $(BUILD)/minivm $(PYTHON39)

# CPython 3.9 runs the test scripts from .pyc files that minivm has written.
run-pyc: $(BUILD)/minivm
	$(PYTHON39) tests/fidelity/run_pyc.py $(BUILD)/minivm

# 91 files of CPython's own tests, unmodified, where $(PYTHON39) has them.
cpython-tests: $(BUILD)/minivm
	$(PYTHON39) tests/cpython/judge.py $(BUILD)/minivm

# TorchDynamo's first test suite in DYNAMO_TESTS, a checkout of pytorch/torchdynamo, by TORCH_PYTHON and here.
torch-tests: $(BUILD)/minivm
	$(PYTHON39) tests/torch/judge/dynamo_tests.py $(BUILD)/minivm $(TORCH_PYTHON) $(DYNAMO_TESTS)

# How the time of the library's functions grows, and how long they take, against CPython's (a table: it takes minutes).
growth: $(BUILD)/minivm
	$(PYTHON39) tests/growth/growth.py $(BUILD)/minivm

# Which modules of its library can be imported, bare and with MINIVMPATH.
cpython-modules: $(BUILD)/minivm
	$(PYTHON39) tests/cpython/modules.py $(BUILD)/minivm

# 100 packages of the package index, installed by pip into a folder outside the tree.
PACKAGES = /tmp/minivm-packages
packages: $(BUILD)/minivm
	$(PYTHON39) tests/packages/packages.py $(BUILD)/minivm $(PACKAGES)

# Every program of the tree under another Python, which none may bring down: make elsewhere PYTHON=python3.13
elsewhere:
	python3 tests/elsewhere/run.py $(PYTHON39)

# What differs from CPython and PyTorch on purpose still does (tests/differences/judge.py).
differences: $(BUILD)/minivm
	python3 tests/differences/judge.py $(BUILD)/minivm $(PYTHON39) $(TORCH_PYTHON)

# Generated programs: code objects, output and end against CPython 3.9's (tests/differential/run.py).
PROGRAMS = 20000
differential: $(BUILD)/minivm
	python3 tests/differential/run.py $(BUILD)/minivm $(PYTHON39) $(PROGRAMS)

# Random programs of the grammars in tests/random_programs: PyTorch's answers, or CPython's, against minivm's.
GRAMMARS = autograd python fx tensors modules
RANDOM_PROGRAMS = 200
FIRST = 0
random-programs: $(BUILD)/minivm
	status=0; for grammar in $(GRAMMARS); do \
	    python3 tests/random_programs/judge.py $(TORCH_PYTHON) $(BUILD)/minivm $$grammar $(FIRST) $(RANDOM_PROGRAMS) || status=1; \
	done; exit $$status

# A corpus of such programs, judged by answers that are recorded: neither PyTorch nor CPython is needed.
corpus: $(BUILD)/minivm
	python3 tests/random_programs/corpus.py check tests/random_programs/answers.xz $(BUILD)/minivm

# Whether PyTorch still prints what lessons/SURPRISES.md says.
surprises:
	tests/torch/surprises.sh $(TORCH_PYTHON)

# The scripts of the tests with a token dropped, doubled, swapped or replaced: what refuses them, and where.
MUTATIONS = 10000
mutations: $(BUILD)/minivm
	python3 tests/differential/run.py --mutate $(BUILD)/minivm $(PYTHON39) $(MUTATIONS)

# Faults planted in a copy, one at a time, at places drawn by the seed: invariants must notice 16 of 20 first.
SEED = 1
plant-faults:
	python3 tests/invariants/plant_faults.py --seed $(SEED) --compiler "$(CC)"

# Random walks, forwards and backwards, through the scripts of the tests (tests/debugger/walks.py).
WALKS = 1000
walks: $(BUILD)/minivm
	python3 tests/debugger/walks.py $(BUILD)/minivm $(WALKS)

# Random programs of all kinds under sanitizers, plainly and under the debugger, for MINUTES (tests/debugger/soak.py).
soak:
	@$(MAKE) --no-print-directory MODE=asan build/asan/minivm
	ulimit -s 65536 && python3 tests/debugger/soak.py build/asan/minivm $(MINUTES)

# Good code with flipped bytes (tests/fuzz/fuzz_bytecode.c): CASES of them, all that the verifier accepts is run.
CASES = 1000000
fuzz-bytecode:
	$(MAKE) MODE=asan build/asan/fuzz_bytecode
	ulimit -s 65536 && build/asan/fuzz_bytecode $(CASES)

# Calls of all operators of torch with arguments of all kinds (tests/fuzz/operators/run.py), compared with TORCH_PYTHON's.
fuzz-torch:
	$(MAKE) MODE=asan build/asan/minivm
	python3 tests/fuzz/operators/run.py build/asan/minivm $(CASES) $(TORCH_PYTHON)

# What dir() has in TORCH_PYTHON's PyTorch and not here: each name with a reason, or to come (tests/torch/names/); and the
# signatures that its messages list (vm/modules/torch/ops/overloads.def).
names: $(BUILD)/minivm
	$(if $(TORCH_PYTHON),$(TORCH_PYTHON) tests/torch/names/overloads.py vm/modules/torch/ops 2> /dev/null > $(BUILD)/overloads.def)
	$(if $(TORCH_PYTHON),mv $(BUILD)/overloads.def vm/modules/torch/ops)
	$(if $(TORCH_PYTHON),$(TORCH_PYTHON) tests/torch/names/collect.py 2> /dev/null > tests/torch/names/names.txt)
	$(BUILD)/minivm tests/torch/names/check.mpy --table $(if $(TORCH_PYTHON),--write)

# PyTorch's own samples of its operators, with the answers of TORCH_PYTHON's PyTorch: tables (tests/torch/opinfo/run.py).
opinfo: $(BUILD)/minivm
	python3 tests/torch/opinfo/run.py $(BUILD)/minivm $(TORCH_PYTHON) $(BUILD)/opinfo.jsonl $(OPERATOR)

# Ten models as C programs, by two compilers, and with sanitizers; random programs (tests/emitted/).
emitted: $(BUILD)/minivm
	$(BUILD)/minivm tests/emitted/judge.mpy
	$(BUILD)/minivm tests/emitted/drawn.mpy

# The same models for i686, aarch64 and wasm32, without FMA, by clang with sanitizers; what is missing is named.
emitted-targets: $(BUILD)/minivm
	$(BUILD)/minivm tests/emitted/targets.mpy

# Each operator alone, with the samples that `make opinfo` leaves.
emitted-operators: $(BUILD)/minivm
	$(BUILD)/minivm tests/emitted/sweep.mpy $(BUILD)/opinfo.jsonl

# Mutated pickles, and objects that change while they are pickled (tests/fuzz/pickles.mpy).
fuzz-pickle:
	$(MAKE) MODE=asan build/asan/minivm
	ulimit -s 65536 && ASAN_OPTIONS=detect_leaks=0 build/asan/minivm -W ignore tests/fuzz/pickles.mpy 100000

# Damaged files of exported programs (tests/fuzz/programs.mpy).
fuzz-programs: $(BUILD)/minivm
	$(BUILD)/minivm tests/fuzz/programs.mpy 100000

# Random programs under torch.compile, compared with eager (tests/fuzz/compiled.sh).
fuzz-compile: $(BUILD)/minivm
	tests/fuzz/compiled.sh $(BUILD)/minivm 5000

$(BUILD)/fuzz_bytecode: $(BUILD)/tests/fuzz/fuzz_bytecode.o $(BUILD)/tests/fuzz/fuzzing.o $(OBJECTS)
	@echo "LD $@"
	@$(CC) $(FLAGS) $(LDFLAGS_$(MODE)) -o $@ $^ $(LDLIBS)

# Any bytes at all for what reads them (tests/fuzz/driver.c): MINUTES for each target, or TARGETS alone, under sanitizers.
# What an input reaches is known of the rooms of the targets (FUZZED), where gcc or clang marks each block.
MINUTES = 1
FUZZ_SEED = 1
fuzz:
	@$(MAKE) --no-print-directory MODE=asan BUILD=build/fuzz FUZZ=1 build/fuzz/fuzz
	@ulimit -s 65536 && STOP=$(STOP) tests/fuzz/run.sh build/fuzz minutes=$(MINUTES) $(FUZZ_SEED) $(TARGETS)

# The same without sanitizers, up to thirty times as fast; then what was kept runs once under sanitizers.
fuzz-fast:
	@$(MAKE) --no-print-directory MODE=release BUILD=build/fuzz-fast FUZZ=1 build/fuzz-fast/fuzz
	@$(MAKE) --no-print-directory MODE=asan BUILD=build/fuzz FUZZ=1 build/fuzz/fuzz
	@ulimit -s 65536 && tests/fuzz/run.sh build/fuzz-fast minutes=$(MINUTES) $(FUZZ_SEED) $(TARGETS) && \
	    tests/fuzz/run.sh build/fuzz runs=1 $(FUZZ_SEED) $(TARGETS)

# The same for a tenth of a minute each, and stops at the first fault.
fuzz-short:
	@$(MAKE) --no-print-directory fuzz MINUTES=0.1 STOP=1

# One target by clang's libFuzzer: make fuzz-clang TARGETS=json MINUTES=10
fuzz-clang:
	@$(MAKE) --no-print-directory MODE=asan BUILD=build/fuzz-clang CC=clang FUZZ=clang build/fuzz-clang/fuzz
	@mkdir -p build/fuzz-clang/corpus/$(TARGETS)
	@FUZZ_TARGET=$(TARGETS) build/fuzz-clang/fuzz -max_len=4096 -max_total_time=$$(($(MINUTES) * 60)) build/fuzz-clang/corpus/$(TARGETS)

FUZZERS = $(filter-out %/fuzz_bytecode.c,$(wildcard tests/fuzz/*.c tests/fuzz/targets/*.c))
FUZZED = compiler objects/bytes objects/containers objects/marshal objects/text frames/guards vm/io vm/prompt \
         $(addprefix vm/modules/,collections datetime itertools json pickle re struct zlib torch/call torch/rules)
ifneq ($(FUZZ),)
$(filter $(FUZZED:%=$(BUILD)/%/%) $(addprefix $(BUILD)/vm/,checks.o unwind.o),$(OBJECTS)): \
    FLAGS += $(if $(filter clang,$(FUZZ)),-fsanitize=fuzzer-no-link,-fsanitize-coverage=trace-pc)
endif
$(BUILD)/tests/fuzz/coverage.o: FLAGS += -O2 -fno-sanitize=all
ifeq ($(FUZZ),clang)
$(FUZZERS:%.c=$(BUILD)/%.o): FLAGS += -Dmain=fuzz_main -Wno-missing-prototypes
$(BUILD)/fuzz: FLAGS += -fsanitize=fuzzer
endif

$(BUILD)/fuzz: $(FUZZERS:%.c=$(BUILD)/%.o) $(OBJECTS)
	@echo "LD $@"
	@$(CC) $(FLAGS) $(LDFLAGS_$(MODE)) -Wl,-Map=$@.map -o $@ $^ $(LDLIBS)

# The programs of tests/bench, against other interpreters where there are any.
bench: $(BUILD)/minivm
	tests/bench/bench.sh $(BUILD)/minivm $(PYTHON)

# Small operations at three sizes: those that CPython does in less time (tests/bench/micro/micro.py).
bench-micro: $(BUILD)/minivm
	$(PYTHON39) tests/bench/micro/micro.py $(BUILD)/minivm operations.mpy 1.1 $(WORD)

# Operators of torch at three sizes: those that PyTorch does in less time, on one thread; skipped where there is none.
bench-operators: $(BUILD)/minivm
	@$(TORCH_PYTHON) -c 'import torch' 2> /dev/null || { echo "bench-operators: skipped, $(TORCH_PYTHON) has no PyTorch"; exit; }; \
	$(TORCH_PYTHON) tests/bench/micro/micro.py $(BUILD)/minivm operators.mpy 1.2 "$(WORD)"

# Imports of the library's modules: those that take more than 0.8 of CPython's time (tests/bench/imports.py).
bench-imports: $(BUILD)/minivm
	$(PYTHON39) tests/bench/imports.py $(BUILD)/minivm $(WORD)

# The rows of torch, against a PyTorch on one thread (tests/bench/bench_torch.sh); skipped where there is none.
TORCH_PYTHON ?= $(PYTHON)
bench-torch: $(BUILD)/minivm
	tests/bench/bench_torch.sh $(BUILD)/minivm $(TORCH_PYTHON) $(ROWS)

# torch.compile against PyTorch's (tests/bench/bench_compile.sh); skipped where there is none.
bench-compile: $(BUILD)/minivm
	tests/bench/bench_compile.sh $(BUILD)/minivm $(TORCH_PYTHON) $(ROWS)

# The answers that CPython 3.9 gives are written again, of the programs GOLDEN or of all (tests/golden.sh).
golden:
	tests/golden.sh $(PYTHON39) $(GOLDEN)

# What a hook costs, and what the possibility of one does: the second minivm has a loop that does not look for it.
bench-hook: $(BUILD)/minivm $(BUILD)/no-hook/minivm plugins
	tests/bench/bench_hook.sh $(BUILD)

$(BUILD)/no-hook/eval.o: vm/eval.c $(BUILD)/vm/eval.o
	@mkdir -p $(@D)
	@echo "CC $< (without a hook)"
	@$(CC) $(filter-out -MMD -MP,$(FLAGS)) $(LOOP_FLAGS) -DDEBUG_NO_HOOK=1 -c -o $@ $<

$(BUILD)/no-hook/minivm: $(BUILD)/vm/main.o $(filter-out $(BUILD)/vm/eval.o,$(OBJECTS)) $(BUILD)/no-hook/eval.o
	@echo "LD $@"
	@$(CC) $(FLAGS) $(LDFLAGS_$(MODE)) -o $@ $^ $(LDLIBS)

# What the possibility to observe costs the plain loop: the second minivm has one that cannot be left for the observed.
bench-observer: $(BUILD)/minivm $(BUILD)/no-observer/minivm
	tests/bench/bench_observer.sh $(BUILD)

LOOPS = eval evaluator
$(LOOPS:%=$(BUILD)/no-observer/%.o): $(BUILD)/no-observer/%.o: vm/%.c $(BUILD)/vm/%.o
	@mkdir -p $(@D)
	@echo "CC $< (not to be observed)"
	@$(CC) $(filter-out -MMD -MP,$(FLAGS)) $(if $(filter eval,$*),$(LOOP_FLAGS)) -DDEBUG_NO_OBSERVER=1 -c -o $@ $<

$(BUILD)/no-observer/minivm: $(BUILD)/vm/main.o $(filter-out $(LOOPS:%=$(BUILD)/vm/%.o),$(OBJECTS)) \
                             $(LOOPS:%=$(BUILD)/no-observer/%.o)
	@echo "LD $@"
	@$(CC) $(FLAGS) $(LDFLAGS_$(MODE)) -o $@ $^ $(LDLIBS)

# What the debugger costs: a step back, a run that is recorded, memory (tests/debugger/measure.py).
bench-debug: $(BUILD)/minivm
	python3 tests/debugger/measure.py $(BUILD)/minivm

# ---- installing
SHARE = $(DESTDIR)$(PREFIX)/share
# With the manual's page and what bash, zsh and fish complete, below PREFIX (/usr/local), where DESTDIR may stand before.
install: minivm $(BUILD)/manual/minivm.1
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include/minivm $(SHARE)/man/man1 \
	    $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 minivm $(DESTDIR)$(PREFIX)/bin/minivm
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/minivm
	install -m 644 vm/minivm_plugin.h $(DESTDIR)$(PREFIX)/include/minivm/minivm_plugin.h
	install -m 644 $(BUILD)/manual/minivm.1 $(SHARE)/man/man1/minivm.1
	install -m 644 $(BUILD)/manual/minivm.bash $(SHARE)/bash-completion/completions/minivm
	install -m 644 $(BUILD)/manual/_minivm $(SHARE)/zsh/site-functions/_minivm
	install -m 644 $(BUILD)/manual/minivm.fish $(SHARE)/fish/vendor_completions.d/minivm.fish

# The manual's page and what shells complete.
$(BUILD)/manual/minivm.1: $(BUILD)/minivm vm/manual.mpy
	@mkdir -p $(@D)
	$(BUILD)/minivm vm/manual.mpy $(@D)

# Removes those files.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/minivm $(DESTDIR)$(PREFIX)/include/minivm/minivm_plugin.h \
	    $(SHARE)/man/man1/minivm.1 $(SHARE)/bash-completion/completions/minivm $(SHARE)/zsh/site-functions/_minivm \
	    $(SHARE)/fish/vendor_completions.d/minivm.fish
	rmdir $(DESTDIR)$(PREFIX)/include/minivm 2> /dev/null || true

# Removes build/ and ./minivm.
clean:
	rm -rf build minivm

include lessons/lessons.mk

# A lesson's program is linked with the objects as they are: `lesson` has made them, and to read what they depend on takes
# half of its make's time.
ifeq ($(filter lesson-program,$(MAKECMDGOALS)),)
-include $(OBJECTS:.o=.d) $(BUILD)/vm/jit/stencils.d $(UNIT:.o=.d) $(BUILD)/vm/main.d $(EMBED_OBJECTS:.o=.d) \
         $(BUILD)/tests/fuzz/fuzz_bytecode.d $(FUZZERS:%.c=$(BUILD)/%.d)
endif
.PHONY: all always help core core-size core-suites core-lessons wasm plugins check suites try findings format house-all check-all check-portable check-opcode check-browser check-dap check-screens confirm-screens adapter-walks fuzz-adapter picture check-installed house asan check-heap \
        stress coverage coverage-core kills flat limits fail-outside verify-pyc fidelity decompile run-pyc cpython-tests torch-tests cpython-modules growth packages elsewhere differences differential mutations random-programs corpus surprises plant-faults walks soak fuzz fuzz-fast fuzz-short fuzz-clang fuzz-bytecode fuzz-torch opinfo names emitted emitted-targets emitted-operators \
        fuzz-compile fuzz-pickle fuzz-programs golden bench bench-micro bench-operators bench-imports bench-torch bench-compile bench-hook bench-observer bench-debug install uninstall clean
