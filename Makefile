# minivm: `make` builds ./minivm; `make check` builds and runs every test.
CC ?= cc
MODE ?= release
BUILD ?= build/$(MODE)
PREFIX ?= /usr/local
PYTHON ?= python3.9

WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Werror
BASE = -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) $(WARNINGS) -ffp-contract=off -fno-strict-aliasing -fwrapv -g -MMD -MP
CFLAGS_release = -O2
CFLAGS_debug = -O1 -DDEBUG_MEMORY=1 -DDEBUG_FAIL_ALLOC=1
CFLAGS_asan = -O1 -DDEBUG_MEMORY=1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS = $(CFLAGS_$(MODE)) $(EXTRA)
LDLIBS = -lm -ldl -lpthread

LIBRARY = $(filter-out vm/main.c vm/embed.c,$(wildcard objects/*.c compiler/*.c frames/*.c vm/*.c))
OBJECTS = $(LIBRARY:%.c=$(BUILD)/%.o)

all: minivm

minivm: $(BUILD)/minivm
	cp $< $@

$(BUILD)/minivm: $(BUILD)/vm/main.o $(OBJECTS)
	$(CC) $(BASE) $(CFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -c -o $@ $<

clean:
	rm -rf build minivm

-include $(OBJECTS:.o=.d) $(BUILD)/vm/main.d
.PHONY: all clean
