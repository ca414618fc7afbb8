// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "ctprof/base/strbuf.h"
#include "rollup/path-tree.h"

static struct strbuf text = STRBUF_INIT;

/* The tree as text: each path, and in brackets the numbers of its labels. */
static const char *text_of(const char *const *labels, size_t count)
{
	struct path_tree tree;

	path_tree_build(&tree, labels, count);
	strbuf_clear(&text);
	for (size_t i = 0; i < tree.count; i++) {
		const struct path_node *node = &tree.nodes[i];

		assert_true(node->depth == 0
		                    ? node->parent == PATH_NODE_NONE
		                    : node->parent < i &&
		                              tree.nodes[node->parent].depth + 1 == node->depth);
		assert_true(node->name_len <= node->path_len);
		strbuf_addf(&text, "%s%u:%.*s", i > 0 ? " " : "", node->depth, (int)node->path_len,
		            node->path);
		for (uint32_t e = node->first_entry; e != PATH_NODE_NONE; e = tree.next_entry[e])
			strbuf_addf(&text, "[%u]", e);
	}
	path_tree_done(&tree);
	return strbuf_str(&text);
}

#define TEXT_OF(...)                                \
	text_of((const char *const[]){__VA_ARGS__}, \
	        ARRAY_SIZE(((const char *const[]){__VA_ARGS__})))

static void test_trees(void **state)
{
	(void)state;
	assert_string_equal(text_of(NULL, 0), "");
	assert_string_equal(TEXT_OF("/"), "0:/[0]");
	assert_string_equal(TEXT_OF("/srv/shop/web", "/srv/batch", "/srv/shop"),
	                    "0:/ 1:/srv 2:/srv/batch[1] 2:/srv/shop[2] 3:/srv/shop/web[0]");
	/* Paths below a directory stand there, and not behind one whose name only begins alike. */
	assert_string_equal(TEXT_OF("/a b", "/a", "/a-b", "/a/x", "/ab"),
	                    "0:/ 1:/a[1] 2:/a/x[3] 1:/a b[0] 1:/a-b[2] 1:/ab[4]");
}

static void test_roots(void **state)
{
	(void)state;
	assert_string_equal(TEXT_OF("(no cwd)", "/a", "v1:/a", "v1:/", "relative/x"),
	                    "0:/ 1:/a[1] 0:(no cwd)[0] 0:relative/x[4] 0:v1:/[3] 1:v1:/a[2]");
	assert_string_equal(TEXT_OF(""), "0:[0]");
}

/* Slashes without a name between them make no directory, and one path may have several labels. */
static void test_same_path(void **state)
{
	(void)state;
	assert_string_equal(TEXT_OF("//a//b/", "/a/b", "/a"), "0:/ 1:/a[2] 2://a//b[1][0]");
	assert_string_equal(TEXT_OF("//z", "/a", "/z", "/z/"), "0:/ 1:/a[1] 1://z[3][2][0]");
	strbuf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_trees),
	        cmocka_unit_test(test_roots),
	        cmocka_unit_test(test_same_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
