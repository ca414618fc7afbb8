// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "ctprof/base/strbuf.h"
#include "overview/overview-label.h"

static void check_label(const char *const *parts, unsigned count, size_t room, bool ascii,
                        const char *expected)
{
	const struct table_style style = {.ascii = ascii};
	cleanup_(strbuf_done) struct strbuf label = STRBUF_INIT, out = STRBUF_INIT;
	struct row_group group = {.label = NULL};

	for (unsigned i = 0; i < count; i++) {
		strbuf_addf(&label, "%s%s", i > 0 ? " / " : "", parts[i]);
		group.parts[i] = parts[i];
	}
	group.label = label.data;
	overview_label_add(&group, count, &style, room, &out);
	assert_string_equal(strbuf_str(&out), expected);
}

/* The table cuts a single name. A path is known by its end. */
static void test_one(void **state)
{
	(void)state;
	check_label((const char *const[]){"a name of twenty col"}, 1, 12, false,
	            "a name of twenty col");
	check_label((const char *const[]){"/a/long/path"}, 1, 12, false, "/a/long/path");
	check_label((const char *const[]){"/a/long/path"}, 1, 8, false, "…ng/path");
	check_label((const char *const[]){"/a/long/path"}, 1, 8, true, "~ng/path");
	check_label((const char *const[]){"/a/long/path"}, 1, 0, false, "/a/long/path");
}

/* Each of several names can be read, as far as there is room for twelve columns of each. */
static void test_several(void **state)
{
	static const char *const host[] = {"very-long-host-name.example.net", "gzip"};
	static const char *const both[] = {"very-long-host-name.example.net",
	                                   "/usr/lib/something/program"};

	(void)state;
	check_label(host, 2, 40, false, "very-long-host-name.example.net / gzip");
	check_label(host, 2, 30, false, "very-long-host-name.ex… / gzip");
	check_label(host, 2, 30, true, "very-long-host-name.ex~ / gzip");
	check_label(host, 2, 10, false, "very-long-h… / gzip");
	check_label(both, 2, 33, false, "very-long-host… / …ething/program");
	check_label(both, 2, 0, false,
	            "very-long-host-name.example.net / /usr/lib/something/program");
}

/* The exited threads have a label, and no names. */
static void test_exited(void **state)
{
	char label[] = "(exited threads)";
	const struct row_group group = {.label = label, .exited = true};
	const struct table_style style = {.width = 80};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	overview_label_add(&group, 2, &style, 8, &out);
	assert_string_equal(strbuf_str(&out), label);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_one),
	        cmocka_unit_test(test_several),
	        cmocka_unit_test(test_exited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
