// SPDX-License-Identifier: GPL-2.0-or-later
/* The places of the counters in executables and shared objects that have a jemalloc, Debian's own among them: those found
 * in the file against those that it prints itself when it runs. */
#include "check.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "jemalloc-files.h"
#include "jemalloc/jemalloc-like.h"

#define ALLOCATED              \
	offsetof(struct tsd_s, \
	         cant_access_tsd_items_directly_use_a_getter_or_setter_thread_allocated)
#define BETWEEN 16

#ifdef __x86_64__
#define EXECUTABLE "$CC -w -o %s %s $SOURCES/jemalloc-like.c $SOURCES/jemalloc-truth.c"
#define SHARED "$CC -w -fPIC -shared -ftls-model=initial-exec -o %s %s $SOURCES/jemalloc-like.c"

static enum probe_tag look(const struct temp_tree *tree, const char *name)
{
	return jemalloc_files_look(tree, name, 0, NULL).tag;
}

static void check_executable(const struct temp_tree *tree, const char *flags)
{
	struct jemalloc_object object;

	jemalloc_files_run(tree, EXECUTABLE, "program", flags);
	object = jemalloc_files_look(tree, "program", 0, NULL);
	assert_true(object.is_found);
	assert_false(object.has_slot);
	assert_int_equal(object.first_offset, 0);
	jemalloc_files_assert_true(tree, &object, "./program");
}

static void test_executables(void **state)
{
	static const char *const flags[] = {
	        "-fPIE -pie -O2",
	        "-fPIE -pie -O0 -fstack-protector-all",
	        "-fno-pie -no-pie -O2",
	        "-static -O2",
	        "-fPIE -static-pie",
	        "-fPIE -pie -Wl,-z,pack-relative-relocs",
	        "-fPIE -pie -O2 -DNEIGHBOURS",
	        "-fno-pie -no-pie -DNEIGHBOURS",
	        "-static -DNEIGHBOURS",
	        "-O2 -DPREFIX=je_ -DMALLCTL=je_mallctl",
	        "-O2 -DPREFIX=_rjem_ -DPRIVATE=_rjem_je_ -DMALLCTL=_rjem_mallctl",
	        "-O2 -DPRIVATE=",
	        "-O2 -DPRIVATE=other_",
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		check_executable(*state, flags[i]);
}

/* Bytes that are not in the file do not count, however many they are. */
static void test_large_executables(void **state)
{
	check_executable(*state, "-O2 -fno-pie -no-pie -DLARGE=700");
	check_executable(*state, "-O2 -fPIE -pie -DLARGE=1800");
	check_executable(*state, "-O2 -static -DLARGE=700");
	check_executable(*state, "-O2 -fno-pie -no-pie -DFAR -Wl,--section-start=.far=0x60000000");
}

/* Functions that the program does not call are not in it. */
static void test_link_time_optimisation(void **state)
{
	struct jemalloc_object object;

	jemalloc_files_run(*state, EXECUTABLE, "program", "-O2");
	jemalloc_files_run(*state, "objcopy --strip-symbol=mallctlbymib program && "
	                           "objcopy --redefine-sym thread_allocatedp_ctl="
	                           "thread_allocatedp_ctl.lto_priv.0 program");
	object = jemalloc_files_look(*state, "program", 0, NULL);
	jemalloc_files_assert_true(*state, &object, "./program");
}

static void test_executable_by_lld(void **state)
{
	if (!jemalloc_files_try(*state, "command -v ld.lld >/dev/null"))
		skip();
	check_executable(*state, "-fPIE -pie -fuse-ld=lld -DNEIGHBOURS");
	check_executable(*state, "-fno-pie -no-pie -fuse-ld=lld");
}

static void check_shared(const struct temp_tree *tree, const char *flags, bool strip)
{
	struct jemalloc_object object;

	jemalloc_files_run(tree, SHARED, "liblike.so", flags);
	jemalloc_files_run(tree, "$CC -w -o program $SOURCES/jemalloc-truth.c ./liblike.so");
	if (strip)
		jemalloc_files_run(tree, "strip liblike.so");
	object = jemalloc_files_look(tree, "liblike.so", 0, NULL);
	assert_true(object.has_slot);
	jemalloc_files_assert_true(tree, &object, "./program");
}

static void test_shared_objects(void **state)
{
	static const char *const flags[] = {"-O2", "-O0", "-O2 -Wl,-z,pack-relative-relocs",
	                                    "-O2 -DNEIGHBOURS"};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		check_shared(*state, flags[i], false);
		check_shared(*state, flags[i], true);
	}
}

static void test_dynamic_storage(void **state)
{
	jemalloc_files_run(*state, "$CC -w -fPIC -shared -ftls-model=global-dynamic -o like.so "
	                           "$SOURCES/jemalloc-like.c");
	assert_int_equal(look(*state, "like.so"), PROBE_TAG_tls_model);
}

/* A variable of the program's own, the only one with a known distance from the thread pointer, is not jemalloc's. */
static void test_dynamic_beside_static(void **state)
{
	static const char *const flags[] = {"-DSTATS=HIDDEN",
	                                    "-DSTATS=", "-DSTATS=HIDDEN -DSTATS_WORDS=300",
	                                    "-DSTATS=HIDDEN -mtls-dialect=gnu2"};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!jemalloc_files_try(*state,
		                        "$CC -w -O2 -fPIC -shared -ftls-model=global-dynamic %s "
		                        "-o like.so $SOURCES/jemalloc-like.c 2>/dev/null",
		                        flags[i]))
			continue;
		jemalloc_files_run(*state, "strip like.so");
		assert_int_equal(look(*state, "like.so"), PROBE_TAG_tls_model);
	}
	/* Nor does it say where the storage is, if another file may have one of that name. */
	jemalloc_files_run(*state, SHARED, "like.so", "-ftls-model=global-dynamic -DSTATS=");
	assert_int_equal(look(*state, "like.so"), PROBE_TAG_tls_model);
	check_shared(*state, "-ftls-model=global-dynamic -DSTATS=HIDDEN", false);
	/* A place that is reached in another way might be the one in question. */
	temp_tree_write_text(
	        *state, "own.c",
	        "static __thread int own __attribute__((tls_model(\"local-dynamic\")));\n"
	        "int *where(void) { return &own; }\n");
	jemalloc_files_run(*state, SHARED, "like.so", "-O2 own.c");
	jemalloc_files_run(*state, "strip like.so");
	assert_int_equal(look(*state, "like.so"), PROBE_TAG_tls_model);
}

static void test_static_beside_static(void **state)
{
	static const char *const flags[] = {
	        "-O2 -DSTATS=HIDDEN",
	        "-O2 -DSTATS=",
	        "-O2 -DSTATS=HIDDEN -DSTATS_WORDS=300",
	        "-O2 -DSTATS= -DSTATS_WORDS=300 -DNEIGHBOURS",
	};
	static const char *const others[] = {
	        "-DNO_STORAGE -DSTATS=HIDDEN",
	        "-DNO_STORAGE -DSTATS=HIDDEN -DSTATS_WORDS=300",
	        "-DNO_STORAGE -DSTATS= -DSTATS_WORDS=300",
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		check_shared(*state, flags[i], false);
		check_shared(*state, flags[i], true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		jemalloc_files_run(*state, SHARED, "like.so", others[i]);
		jemalloc_files_run(*state, "strip like.so");
		assert_int_equal(look(*state, "like.so"), PROBE_TAG_dwarf_parse_failure);
	}
}

static void test_no_counters(void **state)
{
	jemalloc_files_run(*state, EXECUTABLE, "program", "-g -DNO_COUNTERS");
	assert_int_equal(look(*state, "program"), PROBE_TAG_no_counters);
}

/* Without the tree and its symbols, debugging information says it. */
#define WITHOUT_TREE                                    \
	"objcopy --strip-symbol=thread_allocatedp_ctl " \
	"--strip-symbol=thread_deallocatedp_ctl program && test -x program"

static void test_debug_information(void **state)
{
	static const char *const flags[] = {"-g -DNO_TREE", "-gdwarf-4 -O2 -DNO_TREE",
	                                    "-g -DNO_TREE -DPLAIN_NAMES",
	                                    "-g -DNO_TREE -DOLD_NAMES", "-g -gz -DNO_TREE"};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct jemalloc_object object;

		jemalloc_files_run(*state, EXECUTABLE, "program", flags[i]);
		jemalloc_files_run(*state, WITHOUT_TREE);
		object = jemalloc_files_look(*state, "program", 0, NULL);
		jemalloc_files_assert_true(*state, &object, "./program");
	}
	jemalloc_files_run(*state, EXECUTABLE, "program", "-g0 -DNO_TREE");
	jemalloc_files_run(*state, WITHOUT_TREE);
	assert_int_equal(look(*state, "program"), PROBE_TAG_dwarf_parse_failure);
}

/* Moves a section of the file behind its end, where it is a hole of so many bytes. */
static void enlarge(const struct temp_tree *tree, const char *name, const char *section,
                    uint64_t bytes)
{
	cleanup_(fd_closep) int fd = openat(tree->fd, name, O_RDWR | O_CLOEXEC);
	char names[4096];
	Elf64_Ehdr header;
	Elf64_Shdr strings, one;
	struct stat status;

	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pread(fd, &strings, sizeof(strings),
	                       (off_t)(header.e_shoff + header.e_shstrndx * sizeof(strings))),
	                 sizeof(strings));
	assert_true(strings.sh_size <= sizeof(names));
	assert_true(pread(fd, names, strings.sh_size, (off_t)strings.sh_offset) > 0);
	assert_int_equal(fstat(fd, &status), 0);
	for (unsigned i = 0; i < header.e_shnum; i++) {
		off_t at = (off_t)(header.e_shoff + i * sizeof(one));

		assert_int_equal(pread(fd, &one, sizeof(one), at), sizeof(one));
		if (strcmp(names + one.sh_name, section) != 0)
			continue;
		one.sh_offset = (uint64_t)status.st_size;
		one.sh_size = bytes;
		assert_int_equal(pwrite(fd, &one, sizeof(one), at), sizeof(one));
		assert_int_equal(ftruncate(fd, status.st_size + (off_t)bytes), 0);
		return;
	}
	fail_msg("no section %s", section);
}

/* libdw reads each section as a whole. */
static void test_large_debug_information(void **state)
{
	static const struct {
		uint64_t bytes;
		enum probe_tag tag;
	} cases[] = {{1 << 20, PROBE_TAG_ok},
	             {UINT64_C(1100) << 20, PROBE_TAG_dwarf_parse_failure}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		jemalloc_files_run(*state, EXECUTABLE, "program", "-g -DNO_TREE");
		jemalloc_files_run(*state, WITHOUT_TREE);
		jemalloc_files_run(*state, "echo x >one && objcopy --add-section .debug_ranges=one "
		                           "program");
		enlarge(*state, "program", ".debug_ranges", cases[i].bytes);
		assert_int_equal(look(*state, "program"), cases[i].tag);
	}
}

struct one_debug_file {
	struct jemalloc_debug_files files;
	const struct temp_tree *tree;
	const char *name;
	bool by_link;
	unsigned asked;
};

static int open_one(struct jemalloc_debug_files *self, const uint8_t *build_id, size_t build_id_len,
                    const char *link)
{
	struct one_debug_file *one = (struct one_debug_file *)(void *)self;

	one->asked++;
	assert_true((build_id && build_id_len > 0) != (link != NULL));
	if (one->by_link != (link != NULL))
		return -1;
	if (link)
		assert_string_equal(link, one->name);
	return jemalloc_files_open(one->tree, one->name);
}

static void check_debug_file(const struct temp_tree *tree, const char *flags, bool by_link)
{
	struct one_debug_file one = {.files = {.open = open_one},
	                             .tree = tree,
	                             .name = "program.debug",
	                             .by_link = by_link};
	struct jemalloc_object object;

	jemalloc_files_run(tree, EXECUTABLE, "program", flags);
	jemalloc_files_run(tree, WITHOUT_TREE);
	jemalloc_files_run(tree,
	                   "objcopy --only-keep-debug program program.debug && strip program && "
	                   "objcopy --add-gnu-debuglink=program.debug program");
	assert_int_equal(look(tree, "program"), PROBE_TAG_jemalloc_not_found);
	object = jemalloc_files_look(tree, "program", 0, &one.files);
	jemalloc_files_assert_true(tree, &object, "./program");
	assert_true(one.asked > 0);
	/* One that belongs to another file says nothing. */
	jemalloc_files_run(tree, EXECUTABLE, "other", "-g -DNEIGHBOURS -DNO_TREE -Wl,--build-id");
	jemalloc_files_run(tree, "objcopy --only-keep-debug other program.debug");
	object = jemalloc_files_look(tree, "program", 0, &one.files);
	assert_int_equal(object.tag, PROBE_TAG_jemalloc_not_found);
}

static void test_debug_files(void **state)
{
	check_debug_file(*state, "-g -DNO_TREE -Wl,--build-id", false);
	check_debug_file(*state, "-g -DNO_TREE -Wl,--build-id", true);
	check_debug_file(*state, "-g -DNO_TREE -Wl,--build-id=none", true);
}

static void test_decoys(void **state)
{
	const struct temp_tree *tree = *state;

	temp_tree_write_text(
	        tree, "no.c",
	        "__thread int tsd_tls; int mallctlx(void) { return tsd_tls; }\n"
	        "int a_mallctl(void) { return 1; } int mallctlbymib(void) { return 1; }\n"
	        "__attribute__((weak)) int mallctl(void);\n"
	        "int jemalloc(void) { return mallctl ? mallctl() : 0; }\n");
	jemalloc_files_run(tree, "$CC -w -g -fPIC -shared -o libjemalloc.so.2 no.c");
	assert_int_equal(look(tree, "libjemalloc.so.2"), PROBE_TAG_jemalloc_not_found);
	/* Named like it, but without data of threads. */
	temp_tree_write_text(
	        tree, "empty.c",
	        "int mallctl(void) { return 1; } int mallctlbymib(void) { return 1; }\n");
	jemalloc_files_run(tree, "$CC -w -g -fPIC -shared -o empty.so empty.c");
	assert_int_equal(look(tree, "empty.so"), PROBE_TAG_dwarf_parse_failure);
	assert_true(jemalloc_files_look(tree, "empty.so", 0, NULL).is_found);
	assert_int_equal(jemalloc_files_look(tree, "empty.so", EM_AARCH64, NULL).tag,
	                 PROBE_TAG_arch_mismatch);
}

/* Two variables with a name that fits, and neither is named after a jemalloc that is there. */
static void test_two_variables(void **state)
{
	jemalloc_files_run(*state, "$CC -w -c -o one.o -DPRIVATE=one_ $SOURCES/jemalloc-like.c");
	temp_tree_write_text(*state, "two.c", "__thread char two_tsd_tls[4096] = {1};\n");
	jemalloc_files_run(*state, "$CC -w -o program one.o two.c $SOURCES/jemalloc-truth.c");
	assert_int_equal(look(*state, "program"), PROBE_TAG_dwarf_parse_failure);
}

/* The program's own variable has the name that jemalloc's has without a prefix. */
static void test_namesake(void **state)
{
	check_executable(*state, "-O2 -DOWN_NAMESAKE");
	check_executable(*state, "-O2 -DOWN_NAMESAKE -DPREFIX=my_ -DMALLCTL=my_mallctl");
	check_executable(*state, "-O2 -DOWN_NAMESAKE -DPREFIX=my_ -DPRIVATE=my_je_ "
	                         "-DMALLCTL=my_mallctl");
	/* It alone is none: it does not start out like one. */
	jemalloc_files_run(*state, EXECUTABLE, "program", "-O2 -DOWN_NAMESAKE -DNO_STORAGE");
	assert_int_equal(look(*state, "program"), PROBE_TAG_dwarf_parse_failure);
}

/* Whichever was found, it would be half of what the threads have. */
static void test_two_jemallocs(void **state)
{
	static const char *const second[] = {
	        "-DPREFIX=_rjem_ -DPRIVATE=_rjem_je_",
	        "-DPREFIX=_rjem_ -DPRIVATE=_rjem_je_ -DOLD_NAMES",
	        "-DPREFIX=_rjem_ -DPRIVATE=_rjem_je_ -DNO_TREE",
	        "-DPREFIX=_rjem_ -DPRIVATE=_rjem_je_ -DNO_STORAGE",
	        "-DPREFIX=je_ -DPRIVATE=je_je_",
	};

	for (size_t i = 0; i < ARRAY_SIZE(second); i++) {
		jemalloc_files_run(
		        *state,
		        "$CC -w -fPIC -ftls-model=initial-exec -c -o one.o "
		        "$SOURCES/jemalloc-like.c && "
		        "$CC -w -fPIC -ftls-model=initial-exec %s -Dthread_nodes=other_nodes -c -o "
		        "two.o $SOURCES/jemalloc-like.c && $CC -w -o program one.o two.o "
		        "$SOURCES/jemalloc-truth.c && $CC -shared -o both.so one.o two.o && cp "
		        "both.so "
		        "stripped.so && strip stripped.so",
		        second[i]);
		assert_int_equal(look(*state, "program"), PROBE_TAG_dwarf_parse_failure);
		assert_int_equal(look(*state, "both.so"), PROBE_TAG_dwarf_parse_failure);
		assert_int_equal(look(*state, "stripped.so"), PROBE_TAG_dwarf_parse_failure);
	}
}

static bool has_debian_jemalloc(const struct temp_tree *tree)
{
	return jemalloc_files_try(tree, "$CC -w -o program $SOURCES/jemalloc-truth.c "
	                                "-Wl,--no-as-needed -ljemalloc 2>/dev/null && ./program "
	                                ">/dev/null");
}

static void test_debian_static(void **state)
{
	static const char *const flags[] = {"-fPIE -pie", "-fno-pie -no-pie", "-static"};

	if (!has_debian_jemalloc(*state))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct jemalloc_object object;

		jemalloc_files_run(
		        *state,
		        "$CC -w %s -o program $SOURCES/jemalloc-truth.c "
		        "-l:libjemalloc.a -l:libstdc++.so.6 -lm 2>/dev/null || "
		        "$CC -w %s -o program $SOURCES/jemalloc-truth.c -l:libjemalloc.a "
		        "-lstdc++ -lm 2>/dev/null",
		        flags[i], flags[i]);
		object = jemalloc_files_look(*state, "program", 0, NULL);
		jemalloc_files_assert_true(*state, &object, "./program");
	}
}

static void test_debian_shared(void **state)
{
	struct jemalloc_object object;

	if (!has_debian_jemalloc(*state))
		skip();
	jemalloc_files_run(*state, "cp -L $($CC -print-file-name=libjemalloc.so.2) shared.so");
	object = jemalloc_files_look(*state, "shared.so", 0, NULL);
	assert_true(object.has_slot);
	jemalloc_files_assert_true(*state, &object, "./program");
}
#endif

#define ARM                                                                             \
	"clang --target=aarch64-linux-gnu -nostdlib -ffreestanding -w -fuse-ld=lld %s " \
	"-o arm $SOURCES/jemalloc-like.c"

static void build_arm(const struct temp_tree *tree, const char *flags)
{
	if (!jemalloc_files_try(tree, "command -v clang ld.lld >/dev/null"))
		skip();
	jemalloc_files_run(tree, ARM, flags);
}

static void check_arm(const struct jemalloc_object *object, bool has_slot, int64_t allocated)
{
	assert_int_equal(object->tag, PROBE_TAG_ok);
	assert_int_equal(object->has_slot, has_slot);
	assert_int_equal(object->allocated, allocated);
	assert_int_equal(object->deallocated, allocated + BETWEEN);
}

static void test_arm_executables(void **state)
{
	static const char *const flags[] = {
	        "-static -O2 -Wl,-e,mallctl",
	        "-static -O0 -Wl,-e,mallctl",
	        "-fPIE -pie -O2 -Wl,-e,mallctl -Wl,-dynamic-linker=/lib/ld.so",
	        "-fPIE -pie -O2 -Wl,-e,mallctl -Wl,--pack-dyn-relocs=relr -Wl,-dynamic-linker=/l",
	        "-static -g -O2 -Wl,-e,mallctl -DNO_TREE",
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct jemalloc_object object;

		build_arm(*state, flags[i]);
		object = jemalloc_files_look(*state, "arm", EM_AARCH64, NULL);
		check_arm(&object, false, 16 + ALLOCATED);
	}
	assert_int_equal(jemalloc_files_look(*state, "arm", EM_X86_64, NULL).tag,
	                 PROBE_TAG_arch_mismatch);
}

/* Aligned to 256 bytes, the storage starts that far above the thread pointer; what is wanted comes first in it or behind
 * its neighbours, as the linker likes. */
static void test_arm_neighbours(void **state)
{
	struct jemalloc_object object;

	build_arm(*state, "-static -O2 -Wl,-e,mallctl -DNEIGHBOURS");
	object = jemalloc_files_look(*state, "arm", EM_AARCH64, NULL);
	assert_int_equal(object.tag, PROBE_TAG_ok);
	assert_true(object.allocated >= (int64_t)(256 + ALLOCATED));
	assert_int_equal((object.allocated - (int64_t)ALLOCATED) % 8, 0);
}

static void test_arm_shared(void **state)
{
	struct jemalloc_object object;

	build_arm(*state, "-fPIC -shared -ftls-model=initial-exec -O2");
	object = jemalloc_files_look(*state, "arm", EM_AARCH64, NULL);
	check_arm(&object, true, ALLOCATED);
	build_arm(*state, "-fPIC -shared -ftls-model=initial-exec -O2 -s");
	object = jemalloc_files_look(*state, "arm", EM_AARCH64, NULL);
	check_arm(&object, true, ALLOCATED);
	build_arm(*state, "-fPIC -shared -O2");
	assert_int_equal(jemalloc_files_look(*state, "arm", EM_AARCH64, NULL).tag,
	                 PROBE_TAG_tls_model);
	build_arm(*state, "-fPIC -shared -O2 -s -DSTATS=HIDDEN");
	assert_int_equal(jemalloc_files_look(*state, "arm", EM_AARCH64, NULL).tag,
	                 PROBE_TAG_tls_model);
	build_arm(*state, "-fPIC -shared -O2 -s -DSTATS=HIDDEN -ftls-model=initial-exec");
	object = jemalloc_files_look(*state, "arm", EM_AARCH64, NULL);
	assert_int_equal(object.tag, PROBE_TAG_ok);
	assert_true(object.has_slot);
}

#define IN_TREE(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
	        IN_TREE(test_executables),
	        IN_TREE(test_large_executables),
	        IN_TREE(test_large_debug_information),
	        IN_TREE(test_link_time_optimisation),
	        IN_TREE(test_executable_by_lld),
	        IN_TREE(test_shared_objects),
	        IN_TREE(test_dynamic_storage),
	        IN_TREE(test_dynamic_beside_static),
	        IN_TREE(test_static_beside_static),
	        IN_TREE(test_no_counters),
	        IN_TREE(test_debug_information),
	        IN_TREE(test_debug_files),
	        IN_TREE(test_decoys),
	        IN_TREE(test_two_variables),
	        IN_TREE(test_namesake),
	        IN_TREE(test_two_jemallocs),
	        IN_TREE(test_debian_static),
	        IN_TREE(test_debian_shared),
#endif
	        IN_TREE(test_arm_executables),
	        IN_TREE(test_arm_neighbours),
	        IN_TREE(test_arm_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
