# ---- the lessons (lessons/README.md)
LESSONS = LESSONS_BUILD=$(BUILD)/lessons $(BUILD)/minivm lessons

# Checks a solution: N=3 that of the third lesson.
lesson: $(BUILD)/minivm
	@$(LESSONS) run $(N)

# Checks the lessons themselves, all that there is to check of them.
lessons-selftest: $(BUILD)/minivm
	@$(LESSONS) selftest

# Do the checks refuse solutions with a small error (lessons/mutants.mpy)? All of them take hours; MOST=20 takes about 20
# of each hole, N=9 one lesson.
lessons-mutants: $(BUILD)/minivm
	@$(LESSONS) mutants $(N) $(MOST:%=--most %)

# What `make check-all` has time for.
lessons-mutants-short: $(BUILD)/minivm
	@$(LESSONS) mutants --most 8

# What `make check` has time for.
lessons-short: $(BUILD)/minivm
	@$(LESSONS) selftest --short $(N)
	@$(if $(N),,tests/house/readme.sh $(BUILD)/minivm lessons/LEAVING.md)

# The lessons as pages, with their runs recorded, and the sources that they cite (lessons/book/): build/book/index.html.
book: $(BUILD)/minivm
	@$(BUILD)/minivm lessons/book build/book $(wildcard build/wasm/minivm-cell.js)
	@echo build/book/index.html

lessons-html: book

# The program that checks C (lessons/harness.c), for the runner: PROGRAM is made of TEXT, which stands in the place of
# SOURCE, and of PROBE. The object of SOURCE itself is not in the archive that it is linked with. SOURCE may be several
# files, then TEXT is as many. A probe.h beside the probe is included at the beginning of each text. What the compiler says
# of a text is kept beside it, in TEXT.messages: a text that did not change is not compiled again. With IS_OURS the text is
# the solution, which needs no sanitizers to give the right answers: it is compiled in a sixth of the time.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# What a function returns that has no return is anything, and so is what PUSH(sp[-1]) pushes: no check could tell.
LEFT_OPEN = return-type sequence-point uninitialized
# A Value is made of a ValueRef by retain() alone (objects/value.h), and of an object or a number by no assignment.
QUALIFIERS = $(if $(GCC),discarded-qualifiers,incompatible-pointer-types-discards-qualifiers)
OWNERSHIP = $(QUALIFIERS) incompatible-pointer-types int-conversion
LESSON_ERRORS = $(addprefix -Werror=,$(LEFT_OPEN) $(OWNERSHIP))
LESSON_FLAGS = $(filter-out -Werror -MMD -MP -O2 $(DEBUG_INFO),$(FLAGS)) -g -O1 -Wno-unused-function -Wno-unused-parameter $(LESSON_ERRORS) -DNDEBUG $(SANITIZE)
TEXT_FLAGS = $(if $(IS_OURS),$(filter-out $(SANITIZE),$(LESSON_FLAGS)),$(LESSON_FLAGS))
# To compress what a debugger reads takes longer than to link.
LESSON_LDFLAGS = $(filter-out -Wl$(COMMA)--compress-%,$(LDFLAGS_$(MODE)))
COUNTED = -finstrument-functions -finstrument-functions-exclude-file-list=objects/,compiler/,frames/,vm/
EMPTY =
COMMA = ,
LESSON_ARCHIVE = $(BUILD)/lessons/without_$(subst $(EMPTY) $(EMPTY),_,$(basename $(notdir $(SOURCE)))).a
# The second instance of the loop (vm/eval_observed.c) has the solution, too: a frame that goes on there would pass.
LOOP = $(filter vm/eval.c,$(SOURCE))
LEFT_OUT = $(SOURCE) $(LOOP:vm/eval.c=vm/eval_observed.c)
ONE_LOOP = $(LOOP:vm/eval.c=-Wl,--defsym=run_observed=run_plain)
LESSON_HEADER = $(wildcard $(PROBE:.c=.h))
LESSON_HELPERS = $(BUILD)/lessons/program.o $(BUILD)/lessons/handlers.o

lesson-program: $(PROGRAM)

# Starts what a student wrote, and the compiler on it, behind walls.
CONFINE = $(BUILD)/lessons/confine
CONFINED = CCACHE_DISABLE=1 $(CONFINE) compiler $(@D)

lesson-confine: $(CONFINE)

$(CONFINE): lessons/confine.c lessons/system_calls.def
	@mkdir -p $(@D)
	@$(CC) $(BASE) -O1 -o $@ $<

# What a probe does not use is not linked.
$(LESSON_ARCHIVE): $(OBJECTS) $(LESSON_HELPERS)
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcsT $@ $(filter-out $(LEFT_OUT:%.c=$(BUILD)/%.o),$(OBJECTS)) $(LESSON_HELPERS)

$(LESSON_HELPERS): $(BUILD)/lessons/%.o: lessons/%.c lessons/harness.h $(OBJECTS)
	@mkdir -p $(@D)
	@$(CC) $(LESSON_FLAGS) -Werror -c -o $@ $<

$(BUILD)/lessons/%.o: lessons/%.c lessons/harness.h lessons/system_calls.def $(LESSON_ARCHIVE)
	@mkdir -p $(@D)
	@$(CC) $(LESSON_FLAGS) -Werror -c -o $@ $<

LESSON_OBJECTS = $(BUILD)/lessons/harness.o $(PROBE:%.c=$(BUILD)/%.o)

$(PROGRAM): $(TEXT) $(LESSON_OBJECTS) $(LESSON_HEADER) $(CONFINE)
	@mkdir -p $(@D)
	@for text in $(TEXT); do \
	    $(CONFINED) $(CC) $(TEXT_FLAGS) $(COUNTED) $(LESSON_HEADER:%=-include %) -c -o $$text.o $$text 2> $$text.messages || \
	        { cat $$text.messages >&2; exit 1; }; \
	done
	@$(CONFINED) $(CC) $(LESSON_FLAGS) $(LESSON_LDFLAGS) $(ONE_LOOP) -o $@ $(LESSON_OBJECTS) $(TEXT:=.o) $(LESSON_ARCHIVE) $(LDLIBS)

.PHONY: lesson lessons-selftest lessons-mutants lessons-mutants-short lessons-short lessons-html lesson-program lesson-confine book
