// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/output.h"
#include "capture-note.h"
#include "capture/capture.h"
#include "cli/commands.h"
#include "command/options.h"
#include "query/report-lists.h"
#include "query/selection-options.h"

#include "window-note.h"
#include "window-output.h"
#include "window-wait.h"

enum {
	OPT_OUTPUT = 1,
	OPT_PROC_ROOT,
	OPT_SYS_ROOT,
	OPT_CGROUP_ROOT,
	OPT_CONTAINERS_ROOT,
	OPT_ANONYMOUS,
	OPT_SOURCE,
	OPT_SMAPS,
	OPT_JEMALLOC,
	OPT_REMOTE_FILES,
	OPT_WINDOW,
	OPT_EXITS,
	OPT_LABEL,
	OPT_NO_SETTINGS,
	OPT_QUIET,
	OPT_TITLES,
	OPT_WAITS,
	OPT_CPUS,
	OPT_EXIT_BUFFER,
	OPT_EXIT_MEMORY,
	OPT_SELECTION, /* and the next ones, see query/selection-options.h */
};

/* A week: what is longer is a slip of the pen. */
#define WINDOW_MAX_NS (7 * 24 * 3600 * NS_PER_SECOND)

static const char *const sources[] = {"auto", "procfs", "bpf", NULL};

static const char *const smaps[] = {"auto", "all", "off", NULL};

static const char *const jemalloc[] = {"auto", "ptrace", "off", NULL};

static const char *const exits[] = {"auto", "records", "off", NULL};

static const struct cli_option options[] = {
        {OPT_OUTPUT, 'o', "output", "FILE", "write the snapshot to FILE, - for standard output",
         TAKES(FILE)},
        {OPT_ANONYMOUS, 0, "anonymous", NULL, "leave out host and user names, paths, cmdline",
         TAKES(NOTHING)},
        {OPT_TITLES, 0, "titles", NULL, "keep titles of processes: postgres: walwriter",
         TAKES(NOTHING)},
        {OPT_WAITS, 0, "waits", NULL, "keep wait channel and system call of each thread",
         TAKES(NOTHING)},
        SELECTION_OPTIONS(OPT_SELECTION),
        {OPT_SOURCE, 0, "source", "HOW", "how threads are read: auto, procfs, bpf",
         TAKES_WORD(sources)},
        {OPT_SMAPS, 0, "smaps", "WHICH", "smaps_rollup of processes: auto (not huge), all, off",
         TAKES_WORD(smaps)},
        {OPT_JEMALLOC, 0, "jemalloc", "HOW", "counters of jemalloc: auto, ptrace (stops), off",
         TAKES_WORD(jemalloc)},
        {OPT_REMOTE_FILES, 0, "remote-files", NULL,
         "look for jemalloc on FUSE, NFS and the like as well", TAKES(NOTHING)},
        {OPT_WINDOW, 'w', "window", "TIME", "what happens in TIME from now: 500ms, 30s, 5m, 2h",
         TAKES(TEXT)},
        {OPT_EXITS, 0, "exits", "HOW", "ends in the window: auto, records (without BPF), off",
         TAKES_WORD(exits)},
        {OPT_CPUS, 0, "cpus", "CPUS", "records of ends on these CPUs alone: 0-3,8", TAKES(TEXT)},
        {OPT_EXIT_BUFFER, 0, "exit-buffer", "SIZE", "room for records of ends, per socket: 16M",
         TAKES(TEXT)},
        {OPT_EXIT_MEMORY, 0, "exit-memory", "SIZE", "memory for ends in the window: 1G",
         TAKES(TEXT)},
        {OPT_LABEL, 0, "label", "KEY=VALUE", "keep KEY=VALUE with the snapshot; repeatable",
         TAKES(TEXT)},
        {OPT_NO_SETTINGS, 0, "no-settings", NULL,
         "leave out the settings: most of what --pid costs", TAKES(NOTHING)},
        {OPT_QUIET, 'q', "quiet", NULL, "say nothing of what was read and what was not",
         TAKES(NOTHING)},
        {OPT_PROC_ROOT, 0, "proc-root", "DIR", "read threads from DIR instead of /proc",
         TAKES(DIRECTORY)},
        {OPT_SYS_ROOT, 0, "sys-root", "DIR", "read the host's devices from DIR instead of /sys",
         TAKES(DIRECTORY)},
        {OPT_CGROUP_ROOT, 0, "cgroup-root", "DIR", "the cgroup2 hierarchy, if not where mounted",
         TAKES(DIRECTORY)},
        {OPT_CONTAINERS_ROOT, 0, "containers-root", "DIR",
         "names of containers from the files below DIR, not /", TAKES(DIRECTORY)},
        {0},
};

static const char *const notes[] = {
        "Delay accounting and the I/O of other users' threads are for root, or for those",
        "with some capabilities: 'ctprof doctor' says what is missing, and how to get it.",
        "An existing FILE is only replaced by a whole snapshot.",
        NULL,
};

struct arguments {
	const char *output;
	bool quiet;
	uint64_t length_ns; /* of the window; 0: a lifetime snapshot */
	bool has_exits;
	enum capture_exits exits;
	struct labels labels;
	struct selection selection;
	struct capture_options capture;
};

static void arguments_done(struct arguments *arguments)
{
	labels_done(&arguments->labels);
	selection_done(&arguments->selection);
}

static int parse_window(const struct option_parser *parser, uint64_t *ret_ns)
{
	if (!duration_parse(parser->value, ret_ns))
		return options_error(parser, "'%s' is not a time such as 500ms, 30s, 1.5m or 2h",
		                     parser->value);
	if (*ret_ns == 0)
		return options_error(parser, "a window has a length");
	if (*ret_ns > WINDOW_MAX_NS)
		return options_error(parser, "'%s' is longer than a week", parser->value);
	return 0;
}

static int parse_cpus(const struct option_parser *parser, struct capture_options *capture)
{
	if (!cpu_mask_parse(&capture->exit_cpus, parser->value, strlen(parser->value)) ||
	    cpu_mask_count(&capture->exit_cpus) == 0)
		return options_error(parser, "'%s' is not a list of CPUs such as 0-3,8",
		                     parser->value);
	capture->has_exit_cpus = true;
	return 0;
}

/* The kernel doubles the size of a buffer, and counts it in an int. */
static int parse_exit_room(const struct option_parser *parser, int id,
                           struct capture_options *capture)
{
	enum { LEAST_BUFFER = 4096, MOST_BUFFER = 1 << 29, LEAST_MEMORY = 1 << 20 };
	const bool is_buffer = id == OPT_EXIT_BUFFER;
	uint64_t bytes;

	if (!list_size_parse(parser->value, strlen(parser->value), &bytes))
		return options_error(parser, "'%s' is not a size such as 512K, 16M or 1G",
		                     parser->value);
	if (is_buffer && (bytes < LEAST_BUFFER || bytes > MOST_BUFFER))
		return options_error(parser, "'%s' is not a size from 4K to 512M", parser->value);
	if (!is_buffer && bytes < LEAST_MEMORY)
		return options_error(parser, "'%s' is not a size of at least 1M", parser->value);
	*(is_buffer ? &capture->exit_buffer_bytes : &capture->exit_memory_bytes) = bytes;
	return 0;
}

static int parse_label(const struct option_parser *parser, struct labels *labels)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (labels_add_pair(labels, parser->value, &reason) == 0)
		return 0;
	return options_error(parser, "%s", strbuf_str(&reason));
}

/* Returns the flag of an option without a value. */
static bool *flag_of(struct arguments *arguments, int id)
{
	switch (id) {
	case OPT_ANONYMOUS:
		return &arguments->capture.anonymous;
	case OPT_WAITS:
		return &arguments->capture.waits;
	case OPT_TITLES:
		return &arguments->capture.titles;
	case OPT_NO_SETTINGS:
		return &arguments->capture.without_settings;
	case OPT_REMOTE_FILES:
		return &arguments->capture.remote_files;
	default:
		return &arguments->quiet;
	}
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *ret)
{
	struct option_parser parser;
	int id, chosen = 0;

	options_init(&parser, command, argc, argv);
	while (chosen >= 0 && (id = options_next(&parser)) > 0)
		switch (id) {
		case OPT_OUTPUT:
			ret->output = parser.value;
			break;
		case OPT_SELECTION + SELECTION_PID:
		case OPT_SELECTION + SELECTION_TGID:
		case OPT_SELECTION + SELECTION_COMM:
		case OPT_SELECTION + SELECTION_CGROUP:
			chosen = selection_parse(&parser, id - OPT_SELECTION, &ret->selection);
			break;
		case OPT_SOURCE:
			chosen = options_choose(&parser, sources);
			ret->capture.source = (enum capture_source)chosen;
			break;
		case OPT_SMAPS:
			chosen = options_choose(&parser, smaps);
			ret->capture.smaps = (enum capture_smaps)chosen;
			break;
		case OPT_JEMALLOC:
			chosen = options_choose(&parser, jemalloc);
			ret->capture.jemalloc = (enum jemalloc_mode)chosen;
			break;
		case OPT_WINDOW:
			chosen = parse_window(&parser, &ret->length_ns);
			break;
		case OPT_EXITS:
			chosen = options_choose(&parser, exits);
			ret->exits = (enum capture_exits)chosen;
			ret->has_exits = true;
			break;
		case OPT_CPUS:
			chosen = parse_cpus(&parser, &ret->capture);
			break;
		case OPT_EXIT_BUFFER:
		case OPT_EXIT_MEMORY:
			chosen = parse_exit_room(&parser, id, &ret->capture);
			break;
		case OPT_LABEL:
			chosen = parse_label(&parser, &ret->labels);
			break;
		case OPT_PROC_ROOT:
			ret->capture.proc_root = parser.value;
			break;
		case OPT_SYS_ROOT:
			ret->capture.sys_root = parser.value;
			break;
		case OPT_CONTAINERS_ROOT:
			ret->capture.containers_root = parser.value;
			break;
		case OPT_CGROUP_ROOT:
			ret->capture.cgroup_root = parser.value;
			break;
		default:
			*flag_of(ret, id) = true;
		}
	options_done(&parser);
	return chosen < 0 ? OPTIONS_ERROR : id;
}

/* One line: how many readings were denied, and of which sources. */
static void report_denied(const struct snapshot_tally *tally, bool other_tree)
{
	cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;
	unsigned long long total = 0;

	for (unsigned s = 0; s < SOURCE_COUNT; s++) {
		unsigned long long denied = tally->sources[s][OUTCOME_denied];

		/* Taskstats are denied for all or for none. */
		if (s == SOURCE_taskstats || s == SOURCE_process_taskstats)
			continue;
		if (denied > 0)
			strbuf_addf(&list, "%s%s %llu", total ? ", " : "", source_table[s].name,
			            denied);
		total += denied;
	}
	if (tally->processes_stalled > 0)
		cli_error(
		        "reading /proc stalled for %llu %s: what is missing has the reason stalled",
		        (unsigned long long)tally->processes_stalled,
		        tally->processes_stalled == 1 ? "process" : "processes");
	if (tally->processes_denied > 0)
		cli_error("%llu processes hide their threads from this user",
		          (unsigned long long)tally->processes_denied);
	if (tally->sources[SOURCE_taskstats][OUTCOME_skipped] > 0 && !other_tree)
		cli_error("taskstats skipped: /proc is of another pid namespace");
	/* Without the right for it BPF may give some. */
	if (tally->sources[SOURCE_taskstats][OUTCOME_denied] > 0 &&
	    tally->sources[SOURCE_taskstats][OUTCOME_read] == 0)
		cli_error("taskstats denied: no delay accounting (root can read it; see 'ctprof "
		          "doctor')");
	if (tally->cgroups_denied > 0)
		cli_error("%llu %s this user files", (unsigned long long)tally->cgroups_denied,
		          tally->cgroups_denied == 1 ? "cgroup denies" : "cgroups deny");
	if (total > 0)
		cli_error("%llu readings denied: %s%s", total, strbuf_str(&list),
		          geteuid() == 0 ? "" : " (root can read them; see 'ctprof doctor')");
}

static int capture_either(const struct arguments *arguments, struct snapshot_writer *writer,
                          struct snapshot_info *info, struct strbuf *reterr)
{
	cleanup_(window_wait_done) struct window_wait wait = {.signal_fd = -1};
	struct capture_window_options window = {
	        .capture = arguments->capture,
	        .length_ns = arguments->length_ns,
	        .exits = arguments->exits,
	        .wait = &wait.base,
	};
	int r;

	if (arguments->length_ns == 0)
		return capture_run(&arguments->capture, writer, info, reterr);
	r = window_wait_init(&wait, !arguments->quiet && isatty(STDERR_FILENO));
	return r < 0 ? r : capture_window(&window, writer, info, reterr);
}

static int capture(const struct arguments *arguments, struct snapshot_info *info,
                   uint64_t *ret_bytes)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = output_open(&output, arguments->output, OUTPUT_PRIVATE);

	if (r == 0) {
		writer = snapshot_writer_new(&output.sink, SNAPSHOT_ZSTD_LEVEL);
		r = capture_either(arguments, writer, info, &reason);
	}
	if (r == 0)
		r = output_commit(&output);
	*ret_bytes = output.bytes;
	if (r < 0 && reason.len > 0)
		cli_error("%s", strbuf_str(&reason));
	else if (r < 0)
		cli_error("%s: %s",
		          strcmp(arguments->output, "-") == 0 ? "standard output"
		                                              : arguments->output,
		          output_reason(&output, r));
	return r;
}

static void report(const struct arguments *arguments, const struct snapshot_info *info,
                   uint64_t file_bytes)
{
	if (info->kind == KIND_window)
		window_note_length(info);
	report_denied(&info->tally, arguments->capture.proc_root != NULL);
	if (info->kind == KIND_window)
		window_note_missing(info);
	capture_note_written(info, file_bytes);
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(arguments_done) struct arguments arguments = {0};
	uint64_t file_bytes = 0;
	int id = parse(command, argc, argv, &arguments);

	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (optind < argc)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind]);
	arguments.capture.labels = &arguments.labels;
	if (!selection_is_all(&arguments.selection))
		arguments.capture.selection = &arguments.selection;
	if (arguments.capture.source == CAPTURE_SOURCE_BPF && arguments.capture.selection)
		return cli_usage_error(command, "--source bpf reads all threads, no selection");
	if (arguments.capture.source == CAPTURE_SOURCE_BPF && arguments.capture.proc_root)
		return cli_usage_error(command, "--source bpf reads this system, not --proc-root");
	if (window_output_check(command, arguments.output) != 0)
		return EXIT_USAGE;
	if (arguments.capture.titles && arguments.capture.anonymous)
		return cli_usage_error(command, "--titles are not --anonymous");
	if (arguments.has_exits && arguments.length_ns == 0)
		return cli_usage_error(command, "--exits is for a --window");
	if ((arguments.capture.has_exit_cpus || arguments.capture.exit_buffer_bytes > 0 ||
	     arguments.capture.exit_memory_bytes > 0) &&
	    (arguments.length_ns == 0 ||
	     (arguments.has_exits && arguments.exits == CAPTURE_EXITS_OFF)))
		return cli_usage_error(command, "--cpus, --exit-buffer and --exit-memory are for "
		                                "the exits of a --window");
	if (capture(&arguments, &info, &file_bytes) < 0)
		return EXIT_FAILED;
	if (!arguments.quiet)
		report(&arguments, &info, file_bytes);
	return EXIT_DONE;
}

static const char *const other_names[] = {"snapshot", "take", "save", NULL};

const struct command command_capture = {
        .name = "capture",
        .summary = "Write a snapshot of every thread's counters",
        .other_names = other_names,
        .operands = NULL,
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
