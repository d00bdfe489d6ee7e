// The sandbox: a path that was found is used where it was found, whatever is put in its way since.
// Each test is in a process of its own, which enters the sandbox for good.
#include "tests/unit/unit.h"

#include "vm/outside/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

// In a new folder: outside/file.txt, and inside/folder/file.txt in the sandbox, which is entered.
static void enter(void)
{
    char folder[] = "/tmp/minivm-sandbox-XXXXXX";
    ck_assert(mkdtemp(folder) && chdir(folder) == 0);
    ck_assert(mkdir("outside", 0700) == 0 && mkdir("inside", 0700) == 0);
    ck_assert(mkdir("inside/folder", 0700) == 0);
    put_file("outside/file.txt", "outside");
    put_file("inside/folder/file.txt", "inside");
    ck_assert(chdir("inside") == 0 && sandbox_enter("."));
}

// What another program does: the folder becomes a link to the outside.
static void put_link_in_the_way(void)
{
    ck_assert(rename("folder", "moved") == 0 && symlink("../outside", "folder") == 0);
}

static void leave(void)
{
    char folder[PATH_MAX];
    unlink("folder");
    unlink("../outside/file.txt");
    unlink("moved/file.txt");
    unlink("folder/file.txt");
    rmdir("moved");
    rmdir("folder");
    ck_assert(chdir("..") == 0 && getcwd(folder, sizeof folder));
    rmdir("inside");
    rmdir("outside");
    rmdir(folder);
}

static void assert_reads(const Location *location, const char *text)
{
    char bytes[16] = "";
    int file = openat(location->folder, location->name, O_RDONLY | location->open_flags);
    ck_assert(file >= 0 && read(file, bytes, sizeof bytes - 1) >= 0 && close(file) == 0);
    ck_assert_str_eq(bytes, text);
}

START_TEST(place_stays_inside)
{
    Location location, later;
    enter();
    ck_assert(sandbox_find("folder/file.txt", true, &location));
    assert_reads(&location, "inside");
    put_link_in_the_way();
    assert_reads(&location, "inside");
    sandbox_leave(&location);
    ck_assert(!sandbox_find("folder/file.txt", true, &later) && errno == EPERM);
    leave();
}
END_TEST

START_TEST(name_is_no_link_any_more)
{
    Location location;
    enter();
    ck_assert(sandbox_find("folder/file.txt", true, &location));
    ck_assert(rename("folder/file.txt", "moved") == 0);
    ck_assert(symlink("../../outside/file.txt", "folder/file.txt") == 0);
    ck_assert(openat(location.folder, location.name, O_RDONLY | location.open_flags) < 0 &&
              errno == ELOOP);
    sandbox_leave(&location);
    unlink("moved");
    leave();
}
END_TEST

START_TEST(places_of_all_forms)
{
    static const char *const paths[] = {"folder/file.txt", "./folder//file.txt",
                                        "folder/../folder/file.txt", "link/file.txt",
                                        "link/../folder/./file.txt"};
    char absolute[PATH_MAX + 20];
    Location location;
    enter();
    ck_assert(symlink("folder", "link") == 0 && getcwd(absolute, PATH_MAX));
    strcat(absolute, "/folder/file.txt");
    for (size_t i = 0; i <= sizeof paths / sizeof *paths; i++) {
        bool last = i == sizeof paths / sizeof *paths;
        ck_assert(sandbox_find(last ? absolute : paths[i], true, &location));
        ck_assert_str_eq(location.name, "file.txt");
        assert_reads(&location, "inside");
        sandbox_leave(&location);
    }
    ck_assert(sandbox_find("link", false, &location) && strcmp(location.name, "link") == 0);
    sandbox_leave(&location);
    ck_assert(sandbox_find("link", true, &location) && strcmp(location.name, "folder") == 0);
    sandbox_leave(&location);
    ck_assert(sandbox_find(".", true, &location) && strcmp(location.name, ".") == 0);
    sandbox_leave(&location);
    ck_assert(sandbox_find("folder/..", false, &location) && strcmp(location.name, ".") == 0);
    sandbox_leave(&location);
    ck_assert(sandbox_find("folder/new", true, &location) && strcmp(location.name, "new") == 0);
    sandbox_leave(&location);
    ck_assert(!sandbox_find("no/new", true, &location) && errno == ENOENT);
    ck_assert(!sandbox_find("folder/file.txt/", true, &location) && errno == ENOTDIR);
    ck_assert(!sandbox_find("", true, &location));
    ck_assert(!sandbox_find("..", true, &location) && errno == EPERM);
    unlink("link");
    leave();
}
END_TEST

Suite *sandbox_suite(void)
{
    Suite *suite = suite_create("sandbox");
    TCase *tests = tcase_create("locations");
    tcase_add_test(tests, place_stays_inside);
    tcase_add_test(tests, name_is_no_link_any_more);
    tcase_add_test(tests, places_of_all_forms);
    suite_add_tcase(suite, tests);
    return suite;
}
