// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of registry/settings.def. */
#include "check.h"

#include "settings/settings-table.h"

static void test_table_names(void **state)
{
	static const char *const names[][2] = {
	        {"/proc/sys/vm/swappiness", "vm.swappiness"},
	        {"/proc/sys/net/ipv4/conf/eth0.1/forwarding", "net.ipv4.conf.eth0/1.forwarding"},
	        {"/sys/block/vda/queue/scheduler", "/sys/block/vda/queue/scheduler"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

		settings_add_name(&name, names[i][0]);
		assert_text(&name, names[i][1]);
	}
}

static void test_table_kinds(void **state)
{
	(void)state;
	assert_int_equal(settings_kind_of("kernel.sched_rt_runtime_us"), SETTINGS_KIND_scheduler);
	assert_int_equal(settings_kind_of("/sys/kernel/debug/sched/features"),
	                 SETTINGS_KIND_scheduler);
	assert_int_equal(settings_kind_of("/sys/kernel/debug/sched_features"),
	                 SETTINGS_KIND_scheduler);
	assert_int_equal(settings_kind_of("vm.swappiness"), SETTINGS_KIND_memory);
	assert_int_equal(settings_kind_of("/sys/block/vda/queue/scheduler"), SETTINGS_KIND_storage);
	assert_int_equal(settings_kind_of("modules"), SETTINGS_KIND_modules);
	assert_int_equal(settings_kind_of("what.else"), SETTINGS_KIND_other);
	assert_int_equal(settings_kind_of(""), SETTINGS_KIND_other);
	assert_true(settings_is_identity("kernel.hostname"));
	assert_false(settings_is_identity("kernel.hostname2"));
	assert_false(settings_is_identity("vm.swappiness"));
	assert_true(settings_host_find("sched_tunables.sched_rt_runtime_us")->covered);
	assert_false(settings_host_find("kernel_cmdline")->covered);
	assert_null(settings_host_find("kernel_cmdline2"));
	assert_null(settings_host_find("online_cpus"));
}

/* Each row can have an effect, says why, and is there once. */
static void test_table_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < settings_skip_count; i++) {
		const struct settings_skip_desc *row = &settings_skip_table[i];

		assert_true(row->reason[0] != '\0' && row->name[0] != '\0');
		assert_true(row->name[0] == '/' ? strncmp(row->name, "/proc/sys/", 10) == 0 ||
		                                          strncmp(row->name, "/sys/", 5) == 0
		                                : strchr(row->name, '/') == NULL);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(row->name, settings_skip_table[k].name);
	}
	for (size_t i = 0; i < settings_directory_count; i++) {
		assert_true(settings_directory_table[i].path[0] != '/');
		assert_true(settings_directory_table[i].depth > 0);
	}
	assert_true(settings_list_has("all default", "default"));
	assert_false(settings_list_has("all default", "def"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_table_names),
	        cmocka_unit_test(test_table_kinds),
	        cmocka_unit_test(test_table_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
