// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ab/ab-answer.h"
#include "ab/ab-plan.h"
#include "ab/ab-progress.h"
#include "ab/ab-rows.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"
#include "cgroup/cgroup-mount.h"
#include "cli/commands.h"
#include "command/options.h"
#include "command/privileged.h"
#include "experiment/run.h"
#include "input/fd-source.h"
#include "knob/changes.h"

enum {
	OPT_A = 1,
	OPT_B,
	OPT_BLOCKS,
	OPT_UNIT,
	OPT_SETTLE,
	OPT_ORDER,
	OPT_SEED,
	OPT_NAME,
	OPT_PRIMARY,
	OPT_CONTROL,
	OPT_MARGIN,
	OPT_MIN_EFFECT,
	OPT_GUARD,
	OPT_OUTCOME,
	OPT_OUTPUT,
	OPT_PLAN,
	OPT_YES,
	OPT_RESUME,
	OPT_RESTORE,
	OPT_QUIET,
	OPT_FAIL_IF,
	OPT_FAIL_UNLESS_SAME,
	OPT_GROUP_BY,
	OPT_FORMAT,
	OPT_NO_PAGER,
	OPT_UNTIL,
};

static const struct cli_option options[] = {
        {OPT_A, 0, "a", "LINE", "a line of arm A, such as 'sysctl NAME = VALUE'", TAKES(TEXT)},
        {OPT_B, 0, "b", "LINE", "a line of arm B; both can be repeated", TAKES(TEXT)},
        {OPT_BLOCKS, 0, "blocks", "N", "blocks of four units (12)", TAKES(NUMBER)},
        {OPT_UNIT, 0, "unit", "TIME", "a window of TIME (10s), or 'run': one run of COMMAND",
         TAKES(TEXT)},
        {OPT_SETTLE, 0, "settle", "TIME", "the pause before each unit (10s)", TAKES(TEXT)},
        {OPT_ORDER, 0, "order", "WORD", "abba (tossed blocks) or sequential",
         TAKES_WORD(plan_order_names)},
        {OPT_SEED, 0, "seed", "N", "the seed of the order; auto", TAKES(TEXT)},
        {OPT_UNTIL, 0, "until", "LIMIT", "end early if primaries show such an effect", TAKES(TEXT)},
        {OPT_NAME, 0, "name", "NAME", "what the experiment is called", TAKES(TEXT)},
        {OPT_PRIMARY, 0, "primary", "ROWS", "what it is about: METRIC@KEY:GROUP, five at most",
         TAKES(TEXT)},
        {OPT_CONTROL, 0, "control", "ROWS", "what must not move", TAKES(TEXT)},
        {OPT_MARGIN, 0, "margin", "SHARE", "what differs by less is the same (2%)", TAKES(TEXT)},
        {OPT_MIN_EFFECT, 0, "min-effect", "SHARE", "what moves by less has not moved (1%)",
         TAKES(TEXT)},
        {OPT_GUARD, 0, "guard", "LIMITS", "what voids a block: steal<2%, psi_io<20%, lost=0",
         TAKES(TEXT)},
        {OPT_OUTCOME, 0, "outcome", "REGEX", "a number that COMMAND prints", TAKES(TEXT)},
        {OPT_OUTPUT, 'o', "output", "DIR", "the directory of the experiment", TAKES(DIRECTORY)},
        {OPT_PLAN, 0, "plan", NULL, "print what would be done, and do nothing", TAKES(NOTHING)},
        {OPT_YES, 'y', "yes", NULL, "do not ask", TAKES(NOTHING)},
        {OPT_RESUME, 0, "resume", "DIR", "do what is left of an experiment", TAKES(DIRECTORY)},
        {OPT_RESTORE, 0, "restore", NULL, "take back what a killed experiment left",
         TAKES(NOTHING)},
        {OPT_FAIL_IF, 0, "fail-if", "CONDITION", "exit 4 if so: 'moved(METRIC@KEY:GROUP) > +5%'",
         TAKES(TEXT)},
        {OPT_FAIL_UNLESS_SAME, 0, "fail-unless-same", "ROWS",
         "exit 4 unless all of these are the same", TAKES(TEXT)},
        {OPT_GROUP_BY, 'g', "group-by", "KEY",
         "the groups of the report: pcomm (default), comm, ...", TAKES(GROUP_KEY)},
        {OPT_FORMAT, 'f', "format", "FORMAT", "the form of the report, as for ab-report",
         TAKES_WORD(findings_formats)},
        {OPT_NO_PAGER, 0, "no-pager", NULL, "leave a report taller than the terminal to it",
         TAKES(NOTHING)},
        {OPT_QUIET, 'q', "quiet", NULL, "show no progress", TAKES(NOTHING)},
        {0},
};

static const char *const notes[] = {
        "FILE has the experiment as lines KEY = VALUE; see ctprof-ab(1). LINE is one of",
        "sysctl NAME = VALUE, write PATH = VALUE, cgroup PATH FILE = VALUE,",
        "env NAME = VALUE, exec COMMAND undo COMMAND, daemon COMMAND.",
        NULL,
};

struct arguments {
	struct plan plan;
	const char *file; /* of the plan; NULL: arms by options */
	const char *output, *resume;
	char directory[64]; /* the default of @output */
	/* Names of an option of the plan, and of one of the report; NULL: none was given. */
	const char *key, *of_report;
	bool only_plan, yes, restore, quiet;
	struct ab_answer answer;
	char **command; /* behind --; ended by NULL; NULL: none */
};

static void arguments_done(struct arguments *arguments)
{
	experiment_plan_done(&arguments->plan);
	ab_answer_done(&arguments->answer);
}

static int set_key(const struct option_parser *parser, struct plan *plan)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;

	if (plan_set(plan, parser->current->name, parser->value, &phrase) == 0)
		return 0;
	/* The name of the option comes first anyway. */
	return options_error(parser, "%s", strbuf_str(&phrase) + strlen(parser->current->name) + 2);
}

static int add_line(const struct option_parser *parser, struct plan *plan, const char *name)
{
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	struct plan_arm *arm;
	int r = plan_find_arm(plan, name, &arm, &phrase);

	if (r == 0)
		r = plan_add_line(plan, arm, parser->value, &phrase);
	if (r == 0)
		return 0;
	return options_error(parser, "%s", strbuf_str(&phrase));
}

/* Options overrule the file, so they are read twice: first for the name of the file, then for what is in them. */
static int parse(const struct command *command, int argc, char **argv, bool keys,
                 struct arguments *ret)
{
	struct option_parser parser;
	int id, r = 0;

	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		switch (id) {
		case OPT_A:
		case OPT_B:
			ret->key = parser.current->name;
			if (keys)
				r = add_line(&parser, &ret->plan, id == OPT_A ? "A" : "B");
			break;
		case OPT_OUTPUT:
			ret->output = parser.value;
			break;
		case OPT_PLAN:
			ret->only_plan = true;
			break;
		case OPT_YES:
			ret->yes = true;
			break;
		case OPT_RESUME:
			ret->resume = parser.value;
			break;
		case OPT_RESTORE:
			ret->restore = true;
			break;
		case OPT_FAIL_IF:
		case OPT_FAIL_UNLESS_SAME:
		case OPT_GROUP_BY:
		case OPT_FORMAT:
		case OPT_NO_PAGER:
			ret->of_report = parser.current->name;
			if (!keys)
				ab_answer_add(&ret->answer, parser.current->name, parser.value);
			break;
		case OPT_QUIET:
			ret->quiet = true;
			break;
		default:
			ret->key = parser.current->name;
			if (keys)
				r = set_key(&parser, &ret->plan);
		}
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

/* The place of the words behind "--", or 0. */
static int find_command(int argc, char **argv)
{
	for (int i = 1; i < argc - 1; i++)
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
	return 0;
}

static int refuse(const struct command *command, const char *what, const struct strbuf *phrase)
{
	return cli_usage_error(command, "%s%s%s", what ? what : "", what ? ": " : "",
	                       strbuf_str(phrase));
}

static int set_command(const struct command *command, char **words, struct plan *plan)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT, phrase = STRBUF_INIT;
	int r;

	for (size_t i = 0; words[i]; i++) {
		if (i > 0)
			strbuf_add_char(&line, ' ');
		text_add_shell_word(&line, words[i]);
	}
	r = plan_set(plan, "workload", strbuf_str(&line), &phrase);
	if (r == 0 && !plan_has(plan, "unit"))
		r = plan_set(plan, "unit", "run", &phrase);
	return r < 0 ? refuse(command, NULL, &phrase) : 0;
}

static int read_file(const char *path, struct strbuf *text, struct strbuf *reterr)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	size_t len = 1;
	int r = fd_source_open(&source, path, reterr);

	while (r == 0 && len > 0 && text->len <= PLAN_TEXT_BYTES) {
		char *room = strbuf_reserve(text, 65536);

		r = source.source.read(&source.source, room, 65536, &len);
		if (r == 0)
			text->len += len;
	}
	if (r == 0 && text->len > PLAN_TEXT_BYTES)
		r = -EFBIG;
	return r;
}

/* Returns an exit status, EXIT_DONE if the plan is there. */
static int load_plan(const struct command *command, const char *path, struct plan *plan)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, phrase = STRBUF_INIT;
	int r = read_file(path, &text, &phrase);

	if (r < 0) {
		cli_error("%s: %s", path, phrase.len > 0 ? strbuf_str(&phrase) : strerror(-r));
		return EXIT_FAILED;
	}
	if (plan_parse(plan, strbuf_str(&text), text.len, &phrase) < 0)
		return refuse(command, path, &phrase);
	return EXIT_DONE;
}

static void set_seed(struct plan *plan)
{
	uint32_t seed;

	if (plan->has_seed)
		return;
	/* Any seed will do: the order is no secret. */
	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		seed = (uint32_t)time(NULL);
	plan->seed = seed;
	plan->has_seed = true;
}

static void set_names(struct arguments *arguments)
{
	struct plan *plan = &arguments->plan;
	const char *slash;
	struct tm now;
	time_t seconds = time(NULL);
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;

	if (!arguments->output && localtime_r(&seconds, &now) &&
	    strftime(arguments->directory, sizeof(arguments->directory), "ctprof-ab-%Y%m%d-%H%M%S",
	             &now) > 0)
		arguments->output = arguments->directory;
	if (!arguments->output)
		arguments->output = "ctprof-ab";
	if (plan->name)
		return;
	slash = strrchr(arguments->output, '/');
	/* A directory may have a name that an experiment cannot have. */
	if (plan_set(plan, "name", slash ? slash + 1 : arguments->output, &phrase) < 0)
		(void)!plan_set(plan, "name", "experiment", &phrase);
}

/* Options have two arms, in this order, and one of them may be the host as it is. */
static int begin_arms(struct plan *plan, struct strbuf *phrase)
{
	struct plan_arm *arm;
	int r = plan_find_arm(plan, "A", &arm, phrase);

	return r < 0 || plan_find_arm(plan, "B", &arm, phrase) < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* Returns an exit status, EXIT_DONE if the experiment is there. */
static int plan_experiment(const struct command *command, struct arguments *arguments, int argc,
                           char **argv, struct experiment *experiment)
{
	struct plan *plan = &arguments->plan;
	cleanup_(strbuf_done) struct strbuf phrase = STRBUF_INIT;
	int status = arguments->file ? load_plan(command, arguments->file, plan)
	                             : begin_arms(plan, &phrase);

	if (status != EXIT_DONE)
		return status;
	if (parse(command, argc, argv, true, arguments) == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (!arguments->file && plan->arms[0].lines.count + plan->arms[1].lines.count == 0)
		return cli_usage_error(command, "a FILE is needed, or --a and --b");
	if (arguments->command && set_command(command, arguments->command, plan) != 0)
		return EXIT_USAGE;
	if (plan_check(plan, &phrase) < 0 ||
	    ab_rows_check(plan, &arguments->answer.options, &phrase) < 0)
		return refuse(command, arguments->file, &phrase);
	set_seed(plan);
	set_names(arguments);
	run_add_common(plan);
	experiment_init(experiment, arguments->output, plan);
	return EXIT_DONE;
}

static int resume_experiment(const struct arguments *arguments, struct experiment *experiment)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r;

	/* The limit is for reading alone: an exit takes nothing back that is set on the host later. */
	mem_limit(snapshot_default_limits.memory);
	r = experiment_read(experiment, arguments->resume, arguments->plan.cgroup_root, &reason);
	mem_limit_lift(getpid());
	if (r < 0) {
		cli_error("%s", strbuf_str(&reason));
		return EXIT_FAILED;
	}
	run_add_common(&experiment->plan);
	return EXIT_DONE;
}

/* Asks the user, on a terminal, unless --yes is given. Returns EXIT_DONE to go on. */
static int ask(const struct command *command, const struct arguments *arguments,
               const struct experiment *experiment)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char answer[16];

	if (arguments->yes)
		return EXIT_DONE;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return cli_usage_error(command,
		                       "nothing was changed: without a terminal to ask, --yes is "
		                       "needed");
	ab_plan_add(experiment, &text);
	fprintf(stderr, "%sRun it? [y/N] ", strbuf_str(&text));
	fflush(stderr);
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return EXIT_DONE;
	cli_error("nothing was changed");
	return EXIT_FAILED;
}

/* Opens a descriptor for the signals that end the experiment after everything is restored. Ignored signals, as under nohup,
 * stay ignored. */
static int open_signals(sigset_t *ret_mask)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction action;

		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	}
	if (sigprocmask(SIG_BLOCK, &set, ret_mask) < 0)
		return -errno;
	/* A limit of the size of files is an error of a write. */
	signal(SIGXFSZ, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Ends the process by the signal that was received. */
static void die_of_signal(int signal_fd)
{
	struct signalfd_siginfo info;
	sigset_t set;

	if (read(signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	signal((int)info.ssi_signo, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, (int)info.ssi_signo);
	raise((int)info.ssi_signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Prints each line as an error: the failure itself, and each value that could not be restored. */
static void print_lines(const struct strbuf *text)
{
	struct span rest = {strbuf_str(text), text->len}, line;

	while (scan_line(&rest, &line))
		if (line.len > 0)
			cli_error("%.*s", (int)line.len, line.text);
}

static int run_it(const struct arguments *arguments, struct experiment *experiment)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	sigset_t mask;
	cleanup_(fd_closep) int signal_fd = open_signals(&mask);
	struct ab_progress progress;
	struct run_options run = {.stop_fd = signal_fd, .observer = &progress.base};
	bool restored = true;
	int r;

	if (signal_fd < 0) {
		cli_error("signals: %s", strerror(errno));
		return EXIT_FAILED;
	}
	ab_progress_init(&progress, &arguments->answer.options,
	                 !arguments->quiet && isatty(STDERR_FILENO),
	                 !arguments->quiet || experiment->plan.until > 0);
	r = run_experiment(experiment, &run, &restored, &reason);
	ab_progress_clear(&progress);
	print_lines(&reason);
	if (r == -EINTR) {
		cli_error("interrupted with %u of %u blocks; --resume %s goes on",
		          experiment_blocks_done(experiment), experiment->plan.blocks,
		          experiment->directory);
		die_of_signal(signal_fd);
	}
	if (r < 0 || !restored)
		return EXIT_FAILED;
	/* The report may be long, and has a pager. */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return ab_answer_print(&arguments->answer, experiment->directory, experiment->dir_fd);
}

static int restore(void)
{
	cleanup_(strbuf_done) struct strbuf report = STRBUF_INIT;
	size_t count = 0;
	int r = changes_restore(NULL, &count, &report);

	print_lines(&report);
	if (r != 0)
		return EXIT_FAILED;
	if (count == 0)
		puts("there is nothing to take back");
	else
		printf("%zu %s as before\n", count, count == 1 ? "setting is" : "settings are");
	return cli_finish_output(0);
}

static int print_plan(const struct experiment *experiment)
{
	ab_plan_print(experiment);
	return cli_finish_output(0);
}

static int do_experiment(const struct command *command, const struct arguments *arguments,
                         struct experiment *experiment)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int status;

	if (arguments->only_plan)
		return print_plan(experiment);
	if (experiment_next_block(experiment) == 0) {
		cli_error("%s: all %u blocks are there", experiment->directory,
		          experiment_blocks_done(experiment));
		return EXIT_FAILED;
	}
	status = ask(command, arguments, experiment);
	if (status != EXIT_DONE)
		return status;
	if (!arguments->resume && experiment_make_directory(experiment, &reason) < 0) {
		cli_error("%s", strbuf_str(&reason));
		return EXIT_FAILED;
	}
	status = run_it(arguments, experiment);
	if (status == EXIT_FAILED)
		experiment_drop_directory(experiment);
	return status;
}

/* Checks which options go together. */
static int check(const struct command *command, struct arguments *arguments, int argc, char **argv,
                 int behind)
{
	int operands = argc - optind, words = behind > 0 ? argc - behind : 0;

	if (behind > 0 && operands >= words)
		arguments->command = argv + argc - words;
	else
		words = 0;
	if (operands - words > 1)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind + 1]);
	arguments->file = operands > words ? argv[optind] : NULL;
	if ((arguments->resume || arguments->restore) && operands > 0)
		return cli_usage_error(command, "--%s has no other argument",
		                       arguments->resume ? "resume" : "restore");
	if ((arguments->resume || arguments->restore) && arguments->key)
		return cli_usage_error(command, "--%s has no use for --%s",
		                       arguments->resume ? "resume" : "restore", arguments->key);
	if (arguments->restore && (arguments->resume || arguments->only_plan || arguments->output ||
	                           arguments->of_report))
		return cli_usage_error(command, "--restore has no use for --%s",
		                       arguments->only_plan ? "plan"
		                       : arguments->resume  ? "resume"
		                       : arguments->output  ? "output"
		                                            : arguments->of_report);
	if (arguments->resume && arguments->output)
		return cli_usage_error(command, "--resume goes on in its own directory");
	if (arguments->output && arguments->output[0] == '\0')
		return cli_usage_error(command, "--output is empty");
	if (process_is_set_id())
		return cli_usage_error(command, "this program has rights that its user has not, "
		                                "and runs no commands with them");
	return 0;
}

/* Returns the mount point of cgroup2, to which the paths of cgroup lines are relative, or NULL. */
static const char *find_cgroup_root(struct strbuf *point)
{
	cleanup_(fd_closep) int proc_fd = fd_open_path_at(AT_FDCWD, "/proc");
	cleanup_(cgroup_mounts_done) struct cgroup_mounts mounts = {0};

	if (proc_fd >= 0)
		cgroup_mounts_find(proc_fd, true, &mounts);
	if (!mounts.unified.found)
		return NULL;
	strbuf_add(point, mounts.unified.point.data, mounts.unified.point.len);
	return strbuf_str(point);
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(arguments_done) struct arguments arguments = {0};
	cleanup_(experiment_done) struct experiment experiment = {0};
	cleanup_(strbuf_done) struct strbuf cgroup_root = STRBUF_INIT;
	int behind = find_command(argc, argv), id, status;

	experiment_plan_init(&arguments.plan, find_cgroup_root(&cgroup_root));
	id = parse(command, argc, argv, false, &arguments);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR || check(command, &arguments, argc, argv, behind) != 0)
		return EXIT_USAGE;
	if (ab_answer_parse(&arguments.answer) != 0)
		return EXIT_USAGE;
	if (arguments.restore)
		return restore();
	status = arguments.resume ? resume_experiment(&arguments, &experiment)
	                          : plan_experiment(command, &arguments, argc, argv, &experiment);
	return status == EXIT_DONE ? do_experiment(command, &arguments, &experiment) : status;
}

const struct command command_ab = {
        .name = "ab",
        .summary = "Run an experiment: what does a setting change?",
        .operands = "[FILE] [-- COMMAND]",
        .operand_values = TAKES(FILE),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
