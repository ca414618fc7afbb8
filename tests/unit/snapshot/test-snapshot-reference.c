// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots of ktstr ctprof: where a zero, an empty text or a null is a value that was not read. */
#include "check.h"

#include <errno.h>
#include <stdio.h>

#include "seen.h"
#include "snapshot/reference.h"
#include "snapshots.h"

enum { PAIRS = 8 };

struct pair {
	const char *key;
	const char *value; /* NULL: leave the key out */
};

static struct snapshot_copy copy;
static struct strbuf rows;
static unsigned row_count;

static int teardown(void **state)
{
	(void)state;
	snapshot_copy_done(&copy);
	strbuf_done(&rows);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	strbuf_clear(&rows);
	row_count = 0;
	return 0;
}

static void add_pair(const char *key, const char *value, const struct pair *changes)
{
	for (unsigned i = 0; i < PAIRS && changes[i].key; i++)
		if (strcmp(changes[i].key, key) == 0)
			value = changes[i].value;
	if (value)
		strbuf_addf(&rows, "\"%s\":%s,", key, value);
}

static const char *default_value(enum metric_id metric)
{
	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_TEXT:
		return "\"SCHED_OTHER\"";
	case REPRESENTATION_LETTER:
		return "\"S\"";
	case REPRESENTATION_FLAG:
		return "false";
	case REPRESENTATION_CPUS:
		return "[0]";
	case REPRESENTATION_U64:
	case REPRESENTATION_I32:
	case REPRESENTATION_U32:
		break;
	}
	return "0";
}

/* A row with all keys of the first generation, zero but for these changes; then what of the changes it has no key
 * for. */
static void add_row(const struct pair changes[PAIRS])
{
	char tid[16];

	snprintf(tid, sizeof(tid), "%u", 100 + row_count);
	strbuf_addf(&rows, "%s{", row_count++ > 0 ? "," : "");
	add_pair("tid", tid, changes);
	add_pair("tgid", tid, changes);
	add_pair("pcomm", "\"p\"", changes);
	add_pair("comm", "\"c\"", changes);
	add_pair("cgroup", "\"/a\"", changes);
	add_pair("start_time_clock_ticks", "5", changes);
#define REFERENCE_METRIC(metric_, family_, flag_)                       \
	if (REFERENCE_FAMILY_##family_ != REFERENCE_FAMILY_delay_peaks) \
		add_pair(#metric_, default_value(METRIC_##metric_), changes);
#include "reference.def"
	for (unsigned i = 0; i < PAIRS && changes[i].key; i++) {
		enum metric_id metric;

		if (!metric_find(changes[i].key, strlen(changes[i].key), &metric) &&
		    changes[i].value && !strstr("tid tgid pcomm comm cgroup", changes[i].key) &&
		    strcmp(changes[i].key, "smaps_rollup_kib") != 0)
			strbuf_addf(&rows, "\"%s\":%s,", changes[i].key, changes[i].value);
	}
	add_pair("smaps_rollup_kib", "{}", changes);
	rows.data[--rows.len] = '\0';
	strbuf_add_char(&rows, '}');
}

#define ADD_ROW(...) add_row((const struct pair[PAIRS]){__VA_ARGS__})
#define FLAGS(taskstats_, cpu_, block_, xacct_, jemalloc_)                \
	{"taskstats_measured", taskstats_}, {"cpu_delay_active", cpu_},   \
	        {"delay_block_active", block_}, {"xacct_active", xacct_}, \
	{                                                                 \
		"jemalloc_measured", jemalloc_                            \
	}

static void read_with(const char *before, const char *behind)
{
	struct strbuf json = STRBUF_INIT;

	snapshot_copy_done(&copy);
	strbuf_addf(&json, "{%s\"threads\":[%s]%s}", before, strbuf_str(&rows), behind);
	snapshot_copy_read_json(&copy, json.data, json.len, NULL);
	strbuf_done(&json);
}

static void accept_with(const char *behind)
{
	read_with("\"captured_at_unix_ns\":7,", behind);
	if (copy.result != 0)
		fail_msg("%s", strbuf_str(&copy.error));
	assert_int_equal(copy.info.origin, ORIGIN_ktstr);
	assert_int_equal(copy.info.captured_at_unix_ns, 7);
}

static void refuse_with(const char *before, const char *behind, const char *sentence)
{
	read_with(before, behind);
	assert_int_equal(copy.result, -EBADMSG);
	assert_text(&copy.error, sentence);
}

#define BIT(family_) (UINT32_C(1) << REFERENCE_FAMILY_##family_)
static const uint32_t taskstats = BIT(cpu_delay) | BIT(block_delay) | BIT(wpcopy_delay) |
                                  BIT(irq_delay) | BIT(delay_peaks) | BIT(hiwater);
static const uint32_t gated = BIT(ext) | BIT(schedstat) | BIT(schedstats) | BIT(forceidle) |
                              BIT(migrations) | BIT(slice) | BIT(jemalloc) | BIT(io);

/* A row without a single number: what can be missing is. */
static void test_all_zero(void **state)
{
	const struct thread_sample *sample = &copy.samples[0];

	(void)state;
	ADD_ROW();
	accept_with("");
	sample = &copy.samples[0];
	assert_seen(sample, nice, 0);
	assert_seen(sample, minflt, 0);
	assert_seen(sample, voluntary_csw, 0);
	assert_unseen(sample, nr_threads);
	assert_unseen(sample, allocated_bytes);
	assert_true(sample->has_cgroup);
	assert_false(sample->has_smaps);
	assert_int_equal(copy.info.forgotten, gated | taskstats);
	assert_int_equal(copy.info.ambiguous, 0);
	assert_int_equal(copy.info.tally.threads, 1);
	assert_int_equal(copy.info.tally.processes, 1);
}

static void test_unread_of_a_row(void **state)
{
	const struct thread_sample *sample;

	(void)state;
	ADD_ROW({"policy", "\"\""}, {"cpu_affinity", "[]"}, {"cgroup", "\"\""},
	        {"voluntary_csw", "3"});
	ADD_ROW({"state", "\"~\""}, {"nr_threads", "2"}, {"nice", "-20"}, {"allocated_bytes", "1"},
	        {"smaps_rollup_kib", "{\"Rss\":4}"});
	ADD_ROW({"state", NULL}, {"tgid", "101"});
	accept_with("");
	sample = &copy.samples[0];
	assert_unseen(sample, policy);
	assert_unseen(sample, nice);
	assert_unseen(sample, priority);
	assert_unseen(sample, rt_priority);
	assert_unseen(sample, processor);
	assert_unseen(sample, minflt);
	assert_unseen(sample, utime_clock_ticks);
	assert_unseen(sample, cpu_affinity);
	assert_false(sample->has_cgroup);
	assert_seen(sample, voluntary_csw, 3);
	assert_seen(sample, run_time_ns, 0);
	sample = &copy.samples[1];
	assert_unseen(sample, state);
	assert_unseen(sample, voluntary_csw);
	assert_unseen(sample, nonvoluntary_csw);
	assert_seen(sample, nr_threads, 2);
	assert_seen(sample, nice, -20);
	assert_seen(sample, allocated_bytes, 1);
	assert_seen(sample, deallocated_bytes, 0);
	assert_true(sample->has_smaps);
	assert_unseen(&copy.samples[2], voluntary_csw);
	assert_int_equal(copy.info.tally.processes, 2);
}

/* Beside what stands for a missing file, numbers other than 0 are from older files without the state, and real. */
static void test_read_of_a_row(void **state)
{
	const struct thread_sample *sample;

	(void)state;
	ADD_ROW({"state", NULL}, {"voluntary_csw", "3"}, {"nr_threads", "2"});
	ADD_ROW({"state", "\"~\""}, {"nonvoluntary_csw", "4"});
	ADD_ROW({"policy", "\"\""}, {"nice", "-20"}, {"priority", "20"}, {"minflt", "5"});
	accept_with("");
	sample = &copy.samples[0];
	assert_seen(sample, voluntary_csw, 3);
	assert_unseen(sample, nonvoluntary_csw);
	assert_seen(sample, nr_threads, 2);
	sample = &copy.samples[1];
	assert_unseen(sample, voluntary_csw);
	assert_seen(sample, nonvoluntary_csw, 4);
	assert_unseen(sample, nr_threads);
	sample = &copy.samples[2];
	assert_unseen(sample, policy);
	assert_seen(sample, nice, -20);
	assert_seen(sample, priority, 20);
	assert_seen(sample, minflt, 5);
	assert_unseen(sample, processor);
}

/* Both names of the map, and either place of it. */
static void test_names_of_smaps(void **state)
{
	(void)state;
	ADD_ROW({"smaps_rollup_kib", NULL}, {"smaps_rollup_kb", "{\"Rss\":4}"});
	accept_with("");
	assert_true(copy.samples[0].has_smaps);
	assert_int_equal(copy.samples[0].smaps_rollup_kib.entries[0].value, 4);
}

static bool is_forgotten(enum metric_id metric)
{
	struct metric_set forgotten = {{0}};

	reference_add_metrics(copy.info.forgotten, &forgotten);
	return metric_set_has(&forgotten, metric);
}

static void test_families(void **state)
{
	static const struct {
		const char *key;
		uint32_t family;
		bool ambiguous;
	} cases[] = {
	        {"timeslices", BIT(schedstat), true},
	        {"wait_max", BIT(schedstats), true},
	        {"core_forceidle_sum", BIT(forceidle), false},
	        {"nr_migrations", BIT(migrations), false},
	        {"fair_slice_ns", BIT(slice), false},
	        {"deallocated_bytes", BIT(jemalloc), false},
	        {"syscw", BIT(io), true},
	        {"cpu_delay_total_ns", BIT(cpu_delay), true},
	        {"compact_delay_count", BIT(block_delay), true},
	        {"wpcopy_delay_count", BIT(wpcopy_delay), true},
	        {"irq_delay_total_ns", BIT(irq_delay), true},
	        {"hiwater_vm_bytes", BIT(hiwater), true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setup(NULL);
		ADD_ROW();
		ADD_ROW({cases[i].key, "1"});
		ADD_ROW();
		accept_with(",\"taskstats_summary\":{\"ok_count\":1}");
		assert_int_equal(copy.info.forgotten, (gated | taskstats) & ~cases[i].family);
		assert_int_equal(copy.info.ambiguous, cases[i].ambiguous ? cases[i].family : 0);
	}
	/* Categories without any event have no peaks either. */
	setup(NULL);
	ADD_ROW({"swapin_delay_max_ns", "1"});
	accept_with("");
	assert_int_equal(copy.info.forgotten,
	                 (gated | taskstats) & ~BIT(block_delay) & ~BIT(delay_peaks));
	assert_int_equal(copy.info.ambiguous, BIT(block_delay));
	assert_true(is_forgotten(METRIC_irq_delay_max_ns));
	assert_true(is_forgotten(METRIC_wpcopy_delay_min_ns));
	assert_true(is_forgotten(METRIC_cpu_delay_max_ns));
	assert_false(is_forgotten(METRIC_blkio_delay_min_ns));
	/* A thread under sched_ext, and a kernel that has it but runs none. */
	setup(NULL);
	ADD_ROW({"ext_enabled", "true"});
	accept_with("");
	assert_int_equal(copy.info.forgotten, (gated | taskstats) & ~BIT(ext));
	setup(NULL);
	ADD_ROW();
	accept_with(",\"sched_ext\":{\"state\":\"disabled\",\"enable_seq\":0}");
	assert_int_equal(copy.info.forgotten, (gated | taskstats) & ~BIT(ext));
	assert_int_equal(copy.info.sched_ext.values[SCHED_EXT_enable_seq].state, FACT_NUMBER);
	accept_with(",\"sched_ext\":{\"state\":\"\",\"enable_seq\":0,\"hotplug_seq\":3}");
	assert_int_equal(copy.info.sched_ext.values[SCHED_EXT_state].state, FACT_UNSEEN);
	assert_int_equal(copy.info.sched_ext.values[SCHED_EXT_enable_seq].state, FACT_UNSEEN);
	assert_int_equal(copy.info.sched_ext.values[SCHED_EXT_hotplug_seq].number, 3);
}

/* Without a single answer of taskstats nothing of it is known, whatever the numbers say. */
static void test_no_taskstats(void **state)
{
	(void)state;
	ADD_ROW({"cpu_delay_count", "1"}, {"hiwater_rss_bytes", "1"});
	accept_with(",\"taskstats_summary\":{\"ok_count\":0,\"eperm_count\":3}");
	assert_int_equal(copy.info.forgotten, gated | taskstats);
	assert_int_equal(copy.info.rules[SOURCE_taskstats], OUTCOME_denied);
	assert_int_equal(copy.info.tally.sources[SOURCE_taskstats][OUTCOME_denied], 3);
	accept_with(",\"taskstats_summary\":{\"ok_count\":0}");
	assert_int_equal(copy.info.rules[SOURCE_taskstats], OUTCOME_off);
	accept_with(",\"taskstats_summary\":null");
	assert_int_equal(copy.info.forgotten,
	                 gated | (taskstats & ~BIT(cpu_delay) & ~BIT(hiwater)));
	assert_int_equal(copy.info.rules[SOURCE_taskstats], OUTCOME_unneeded);
}

/* The flags of newer snapshots: what was measured is a value, though it is zero. */
static void test_flags(void **state)
{
	const struct thread_sample *sample;

	(void)state;
	ADD_ROW(FLAGS("true", "true", "true", "true", "true"));
	ADD_ROW(FLAGS("false", "true", "true", "true", "false"), {"deallocated_bytes", "4"},
	        {"irq_delay_count", "2"});
	ADD_ROW(FLAGS("true", "false", "true", "true", "true"));
	ADD_ROW(FLAGS("true", "true", "false", "true", "true"));
	ADD_ROW(FLAGS("true", "true", "true", "false", "true"));
	accept_with(",\"taskstats_summary\":{\"ok_count\":4}");
	sample = &copy.samples[0];
	assert_seen(sample, cpu_delay_max_ns, 0);
	assert_seen(sample, blkio_delay_count, 0);
	assert_seen(sample, hiwater_vm_bytes, 0);
	assert_seen(sample, allocated_bytes, 0);
	sample = &copy.samples[1];
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source == SOURCE_taskstats)
			assert_false(metric_set_has(&sample->seen, (enum metric_id)i));
	assert_int_equal(sample->outcomes[SOURCE_taskstats], OUTCOME_denied);
	assert_unseen(sample, deallocated_bytes);
	sample = &copy.samples[2];
	assert_unseen(sample, cpu_delay_count);
	assert_unseen(sample, cpu_delay_min_ns);
	assert_seen(sample, wpcopy_delay_count, 0);
	sample = &copy.samples[3];
	assert_seen(sample, cpu_delay_count, 0);
	assert_unseen(sample, blkio_delay_count);
	assert_unseen(sample, irq_delay_max_ns);
	assert_seen(sample, hiwater_rss_bytes, 0);
	sample = &copy.samples[4];
	assert_unseen(sample, hiwater_rss_bytes);
	assert_unseen(sample, hiwater_vm_bytes);
	assert_seen(sample, irq_delay_count, 0);
	/* The flags say nothing about what older kernels do not have. */
	assert_int_equal(copy.info.forgotten, (gated & ~BIT(jemalloc)) | BIT(wpcopy_delay) |
	                                              BIT(irq_delay) | BIT(delay_peaks));
	assert_int_equal(copy.info.ambiguous, 0);
}

/* A value that is measured in no row is missing, as if it were zero in all of them; one row is enough to be measured. */
static void test_flags_off(void **state)
{
	static const struct {
		const char *flags[5];
		uint32_t families;
	} cases[] = {
	        {{"false", "true", "true", "true", "true"}, taskstats},
	        {{"true", "false", "true", "true", "true"}, BIT(cpu_delay)},
	        {{"true", "true", "false", "true", "true"}, BIT(block_delay)},
	        {{"true", "false", "false", "true", "true"}, BIT(cpu_delay) | BIT(block_delay)},
	        {{"true", "true", "true", "false", "true"}, BIT(hiwater)},
	        {{"true", "true", "true", "true", "false"}, BIT(jemalloc)},
	};
	const uint32_t always =
	        (gated & ~BIT(jemalloc)) | BIT(wpcopy_delay) | BIT(irq_delay) | BIT(delay_peaks);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const *flags = cases[i].flags;

		setup(NULL);
		ADD_ROW(FLAGS(flags[0], flags[1], flags[2], flags[3], flags[4]));
		ADD_ROW(FLAGS(flags[0], flags[1], flags[2], flags[3], flags[4]));
		accept_with(",\"taskstats_summary\":{\"ok_count\":2}");
		assert_int_equal(copy.info.forgotten, always | cases[i].families);
		assert_int_equal(copy.info.ambiguous, 0);
		ADD_ROW(FLAGS("true", "true", "true", "true", "true"));
		accept_with(",\"taskstats_summary\":{\"ok_count\":2}");
		assert_int_equal(copy.info.forgotten, always);
	}
	/* Peaks of the one kind are no reason to show those of the other. */
	setup(NULL);
	ADD_ROW(FLAGS("true", "true", "false", "true", "true"), {"cpu_delay_max_ns", "4"});
	accept_with("");
	assert_int_equal(copy.info.forgotten, (always & ~BIT(delay_peaks)) | BIT(block_delay));
	assert_true(is_forgotten(METRIC_thrashing_delay_max_ns));
	assert_false(is_forgotten(METRIC_cpu_delay_max_ns));
}

#define LINE(value_) "{\"avg10\":" value_ ",\"avg60\":0,\"avg300\":0,\"total_usec\":" value_ "}"
#define PSI(cpu_, irq_)                                                                      \
	"{\"cpu\":{\"some\":" LINE(cpu_) ",\"full\":" LINE("0") "},\"irq\":{\"some\":" LINE( \
	        "0") ",\"full\":" LINE(irq_) "}}"
#define CGROUP(path_, cpu_, memory_, pids_) \
	"\"" path_ "\":{\"cpu\":{" cpu_ "},\"memory\":{" memory_ "},\"pids\":{" pids_ "}}"

static enum fact_state state_of(size_t cgroup, enum cgroup_value_id value)
{
	return copy.cgroups[cgroup].values[value].state;
}

static void test_cgroups(void **state)
{
	(void)state;
	accept_with(",\"cgroup_stats\":{" CGROUP(
	        "/all",
	        "\"usage_usec\":0,\"nr_throttled\":0,\"max_quota_us\":null,\"max_period_us\":"
	        "100000,"
	        "\"weight\":100,\"weight_nice\":null",
	        "\"current\":0,\"max\":null,\"high\":5,\"low\":18446744073709551615,\"min\":null,"
	        "\"stat\":{},\"events\":{\"oom\":0}",
	        "\"current\":0,\"max\":null") "," CGROUP("/none",
	                                                 "\"usage_usec\":0,\"nr_throttled\":0,"
	                                                 "\"throttled_usec\":1,"
	                                                 "\"max_quota_us\":null,\"max_period_us\":"
	                                                 "100000,\"weight\":null",
	                                                 "\"current\":0,\"max\":null,\"high\":null,"
	                                                 "\"low\":null,\"min\":null",
	                                                 "\"current\":null,\"max\":null") "}");
	assert_int_equal(copy.cgroup_count, 2);
	assert_int_equal(copy.info.tally.cgroups, 2);
	assert_int_equal(state_of(0, CGROUP_VALUE_cpu_usage_usec), FACT_NUMBER);
	assert_int_equal(state_of(0, CGROUP_VALUE_nr_throttled), FACT_NUMBER);
	assert_int_equal(state_of(0, CGROUP_VALUE_cpu_max_quota_us), FACT_UNLIMITED);
	assert_int_equal(state_of(0, CGROUP_VALUE_cpu_max_period_us), FACT_NUMBER);
	assert_int_equal(state_of(0, CGROUP_VALUE_cpu_weight_nice), FACT_UNSEEN);
	assert_int_equal(state_of(0, CGROUP_VALUE_memory_current), FACT_NUMBER);
	assert_int_equal(state_of(0, CGROUP_VALUE_memory_max), FACT_UNLIMITED);
	assert_int_equal(state_of(0, CGROUP_VALUE_memory_high), FACT_NUMBER);
	assert_int_equal(state_of(0, CGROUP_VALUE_memory_low), FACT_UNLIMITED);
	assert_int_equal(state_of(0, CGROUP_VALUE_memory_min), FACT_UNSEEN);
	assert_int_equal(state_of(0, CGROUP_VALUE_pids_max), FACT_UNLIMITED);
	assert_false(copy.cgroups[0].has_list[CGROUP_LIST_memory_stat]);
	assert_true(copy.cgroups[0].has_list[CGROUP_LIST_memory_events]);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		assert_int_equal(state_of(1, (enum cgroup_value_id)i),
		                 i == CGROUP_VALUE_throttled_usec ? FACT_NUMBER : FACT_UNSEEN);
}

/* One value of a controller is enough to tell that it is there. */
static void test_cgroup_controllers(void **state)
{
	(void)state;
	accept_with(",\"cgroup_stats\":{" CGROUP("/min", "", "\"max\":null,\"low\":null,\"min\":0",
	                                         "") "," CGROUP("/low", "",
	                                                        "\"max\":null,\"low\":0,"
	                                                        "\"min\":null",
	                                                        "") "}");
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(state_of(i, CGROUP_VALUE_memory_max), FACT_UNLIMITED);
}

static void test_pressure(void **state)
{
	(void)state;
	accept_with(
	        ",\"psi\":" PSI("0", "0") ",\"cgroup_stats\":{\"/a\":{\"psi\":" PSI("2", "0") "}}");
	assert_false(psi_seen(&copy.info.psi));
	assert_true(copy.cgroups[0].psi.lines[PSI_cpu][PSI_ROW_some].seen);
	assert_true(copy.cgroups[0].psi.lines[PSI_cpu][PSI_ROW_full].seen);
	assert_false(copy.cgroups[0].psi.lines[PSI_irq][PSI_ROW_full].seen);
	accept_with(",\"psi\":" PSI("0", "3"));
	assert_true(copy.info.psi.lines[PSI_cpu][PSI_ROW_some].seen);
	assert_false(copy.info.psi.lines[PSI_irq][PSI_ROW_some].seen);
	assert_true(copy.info.psi.lines[PSI_irq][PSI_ROW_full].seen);
}

static void test_rest(void **state)
{
	(void)state;
	ADD_ROW({"timeslices", "1"});
	ADD_ROW();
	accept_with(
	        ",\"host\":{\"total_memory_kb\":4,\"kernel_release\":\"6.1\",\"heap_state\":{}},"
	        "\"probe_summary\":{\"tgids_walked\":80,\"dominant_failure\":\"waitpid\"},"
	        "\"parse_summary\":{\"tids_walked\":5,\"negative_dotted_values\":6},"
	        "\"taskstats_summary\":{\"ok_count\":1,\"eperm_count\":2,\"esrch_count\":3,"
	        "\"other_err_count\":4}");
	assert_int_equal(copy.info.host.numbers[HOST_total_memory_kib], 4);
	assert_string_equal(host_text(&copy.info.host, HOST_kernel_release), "6.1");
	assert_int_equal(probe_summary_dominant(&copy.info.probe), PROBE_TAG_waitpid);
	assert_int_equal(copy.info.tally.threads_gone, 3);
	assert_int_equal(copy.info.tally.malformed_values, 6);
	assert_int_equal(copy.info.tally.sources[SOURCE_taskstats][OUTCOME_read], 1);
	assert_int_equal(copy.info.tally.sources[SOURCE_taskstats][OUTCOME_gone], 3);
	assert_int_equal(copy.info.tally.sources[SOURCE_taskstats][OUTCOME_malformed], 4);
	assert_int_equal(copy.info.rules[SOURCE_schedstat], OUTCOME_read);
	assert_int_equal(copy.info.rules[SOURCE_io], OUTCOME_unneeded);
}

#define TIME "\"captured_at_unix_ns\":7,"
#define OWN ",\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\""

static void test_refused(void **state)
{
	(void)state;
	refuse_with("", "", "it has no \"format\" key");
	refuse_with(TIME, ",\"version\":1", "it has no \"format\" key");
	refuse_with(TIME, ",\"kind\":\"lifetime\"", "it has no \"format\" key");
	refuse_with(TIME, ",\"taskstats_summary\":{\"ok_count\":\"1\"},\"parse_summary\":[]",
	            "parse_summary: an object was expected");
	refuse_with(TIME, ",\"taskstats_summary\":{\"ok_count\":\"1\"}",
	            "taskstats_summary.ok_count: a number from 0 on was expected");
	ADD_ROW();
	ADD_ROW({"irq_delay_count", NULL});
	ADD_ROW({"nice", NULL});
	refuse_with(TIME, "",
	            "it has no \"format\" key, and threads[1] no \"irq_delay_count\", which ktstr "
	            "ctprof writes");
	setup(NULL);
	ADD_ROW({"xacct_active", "1"});
	refuse_with(TIME, "", "threads[0]: xacct_active: true or false was expected");
	setup(NULL);
	ADD_ROW({"read_boottime_ns", "1"});
	refuse_with(TIME, "", "it has no \"format\" key");
}

/* Before its "format" a file of ours is read as either, and is then held to what ours may have. */
static void test_ours_with_late_format(void **state)
{
	(void)state;
	ADD_ROW({"missing", "{}"}, {"nr_threads", "0"});
	read_with(TIME "\"cgroup_stats\":{\"/a\":{\"cpu\":{\"user_usec\":1,\"max_quota_us\":null,"
	               "\"nr_throttled\":0}}},",
	          OWN);
	assert_int_equal(copy.result, 0);
	assert_int_equal(copy.info.origin, ORIGIN_ctprof);
	assert_int_equal(copy.info.forgotten, 0);
	assert_int_equal(copy.info.rules[SOURCE_io], OUTCOME_read);
	assert_seen(&copy.samples[0], nr_threads, 0);
	assert_seen(&copy.samples[0], allocated_bytes, 0);
	assert_int_equal(state_of(0, CGROUP_VALUE_cpu_max_quota_us), FACT_UNLIMITED);
	assert_int_equal(state_of(0, CGROUP_VALUE_nr_throttled), FACT_NUMBER);
	read_with("\"taskstats_summary\":[],", OWN);
	assert_int_equal(copy.result, 0);
	refuse_with("\"cgroup_stats\":{\"/a\":{\"cpu\":{\"weight\":null}}},", OWN,
	            "cgroup_stats[\"/a\"].cpu.weight: an integer was expected");
	refuse_with("\"cgroup_stats\":{\"/a\":{\"memory\":{\"low\":18446744073709551615}}},", OWN,
	            "cgroup_stats[\"/a\"].memory.low: an integer or null was expected");
	ADD_ROW({"policy", "\"\""});
	refuse_with("", OWN, "threads[1]: policy: a label was expected");
	setup(NULL);
	ADD_ROW({"taskstats_measured", "7"}, {"smaps_rollup_kb", "8"}, {"allocated_bytes", "0"});
	read_with("\"format\":\"ctprof\",\"version\":1,\"kind\":\"lifetime\",", "");
	assert_int_equal(copy.result, 0);
	assert_seen(&copy.samples[0], allocated_bytes, 0);
}

/* No metric is in two families but the 16 peaks, and the sets hold them. */
static void test_sets(void **state)
{
	struct metric_set all = {{0}};
	unsigned sum = 0;

	(void)state;
	for (unsigned i = 0; i < REFERENCE_FAMILY_COUNT; i++) {
		struct metric_set one = {{0}};

		reference_add_metrics(UINT32_C(1) << i, &one);
		assert_true(count_metrics(&one) > 0);
		sum += count_metrics(&one);
		reference_add_metrics(UINT32_C(1) << i, &all);
	}
	assert_int_equal(sum, 86 + 16);
	assert_int_equal(count_metrics(&all), 86);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_all_zero, setup),
	        cmocka_unit_test_setup(test_unread_of_a_row, setup),
	        cmocka_unit_test_setup(test_read_of_a_row, setup),
	        cmocka_unit_test_setup(test_names_of_smaps, setup),
	        cmocka_unit_test_setup(test_families, setup),
	        cmocka_unit_test_setup(test_no_taskstats, setup),
	        cmocka_unit_test_setup(test_flags, setup),
	        cmocka_unit_test_setup(test_flags_off, setup),
	        cmocka_unit_test_setup(test_cgroups, setup),
	        cmocka_unit_test_setup(test_cgroup_controllers, setup),
	        cmocka_unit_test_setup(test_pressure, setup),
	        cmocka_unit_test_setup(test_rest, setup),
	        cmocka_unit_test_setup(test_refused, setup),
	        cmocka_unit_test_setup(test_ours_with_late_format, setup),
	        cmocka_unit_test(test_sets),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
