// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/commands.h"
#include "command/options.h"
#include "duct/duct-gpu.h"
#include "duct/duct-info.h"
#include "duct/duct-log.h"
#include "duct/duct-options.h"
#include "duct/duct-prefix.h"
#include "duct/duct-run.h"

static const char *const notes[] = {
        "Options, variables DUCT_... and files are those of con-duct 0.23, whose ls,",
        "pp and plot read the files. The exit code is that of COMMAND, or 128 + N for",
        "signal N; 127 if it is not found, 126 if it cannot be executed.",
        NULL,
};

/* All of a run; the texts are its own. */
struct duct {
	struct duct_arguments arguments;
	struct strbuf command; /* its words joined by blanks */
	char *directory;       /* owned */
	struct duct_files files;
	struct duct_gpu gpu;
	struct strbuf gpus; /* JSON; empty: they are not known */
	struct duct_outcome outcome;
};

static void duct_done(struct duct *duct)
{
	duct_outcome_done(&duct->outcome);
	duct_gpu_done(&duct->gpu);
	strbuf_done(&duct->gpus);
	duct_files_done(&duct->files);
	strbuf_done(&duct->command);
	free(duct->directory);
}

static bool has(enum duct_streams streams, enum duct_streams one)
{
	return streams == DUCT_STREAMS_ALL || streams == one;
}

/* Logs a message with a text in it that may hold anything. */
static void log_text(const struct duct *duct, enum duct_level level, const char *before,
                     const char *text, const char *behind)
{
	cleanup_(strbuf_done) struct strbuf safe = STRBUF_INIT;

	text_add_escaped(&safe, text, strlen(text));
	duct_log(duct->arguments.level, level, "%s%s%s", before, strbuf_str(&safe), behind);
}

/* Logs the reason of an error with what is named by @name. */
static void log_error(const struct duct *duct, const char *name, const char *reason)
{
	cleanup_(strbuf_done) struct strbuf behind = STRBUF_INIT;

	strbuf_addf(&behind, ": %s", reason);
	log_text(duct, DUCT_ERROR, "", name, strbuf_str(&behind));
}

static void log_file(const struct duct *duct, enum duct_file_id id, const char *reason)
{
	log_error(duct, duct->files.files[id].path, reason);
}

static void say_started(void *context)
{
	const struct duct *duct = context;

	log_text(duct, DUCT_INFO_LEVEL, "ctprof " CTPROF_VERSION " is executing '",
	         strbuf_str(&duct->command), "'...");
	log_text(duct, DUCT_INFO_LEVEL, "Log files will be written to ", duct->files.prefix, "");
	if (duct->arguments.current_session)
		duct_log(duct->arguments.level, DUCT_INFO_LEVEL,
		         "The command and its descendants are counted, not others of the session");
}

static void say_signal(void *context, int number, enum duct_reaction reaction)
{
	const struct duct *duct = context;
	const char *name = sigabbrev_np(number);

	if (!name)
		name = "RT";
	if (reaction == DUCT_PASSES)
		duct_log(duct->arguments.level, DUCT_INFO_LEVEL,
		         "Received SIG%s, passing to command", name);
	else if (reaction == DUCT_KILLS)
		duct_log(duct->arguments.level, DUCT_WARNING,
		         "Received SIG%s again, killing the command", name);
	else
		duct_log(duct->arguments.level, DUCT_CRITICAL,
		         "Received SIG%s again, exiting: the command has not ended", name);
}

static int open_files(struct duct *duct)
{
	const struct duct_arguments *arguments = &duct->arguments;
	cleanup_(strbuf_done) struct strbuf prefix = STRBUF_INIT, reason = STRBUF_INIT;
	const bool wanted[DUCT_FILE_COUNT] = {
	        [DUCT_STDOUT] = has(arguments->capture, DUCT_STREAMS_STDOUT),
	        [DUCT_STDERR] = !arguments->pty && has(arguments->capture, DUCT_STREAMS_STDERR),
	        [DUCT_USAGE] = true,
	        [DUCT_INFO] = true,
	};

	if (duct_prefix_expand(arguments->prefix, getenv("HOME"), time(NULL), getpid(), &prefix,
	                       &reason) < 0) {
		duct_log(arguments->level, DUCT_ERROR, "%s", strbuf_str(&reason));
		return EXIT_USAGE;
	}
	duct_files_init(&duct->files, strbuf_str(&prefix));
	duct->files.needs_own_place = geteuid() == 0 && arguments->prefix == duct_default_prefix;
	if (duct_files_open(&duct->files, wanted, arguments->clobber, &reason) == 0)
		return EXIT_DONE;
	duct_log(arguments->level, DUCT_ERROR, "%s", strbuf_str(&reason));
	return EXIT_FAILED;
}

/* Writes info.json, with the summary if the run has ended. */
static void write_info(const struct duct *duct, const struct duct_summary *summary)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const struct duct_info info = {
	        .command = strbuf_str(&duct->command),
	        .working_directory = duct->directory,
	        .message = duct->arguments.message,
	        .files = &duct->files,
	        .gpu = duct->gpus.len > 0 ? strbuf_str(&duct->gpus) : NULL,
	        .summary = summary,
	};

	if (duct->arguments.records != DUCT_RECORDS_SAMPLES && duct_info_write(&info, &reason) < 0)
		log_file(duct, DUCT_INFO, strbuf_str(&reason));
}

/* Returns the exit code of a command that could not be executed. */
static int report_not_started(struct duct *duct, const char *name)
{
	const struct job_result *job = &duct->outcome.job;

	duct_files_remove(&duct->files);
	/* A signal says nothing by itself. */
	if (job->error == -ENOENT)
		log_text(duct, DUCT_ERROR, "", name, ": command not found");
	else if (job->error != -EINTR)
		log_error(duct, name, strerror(-job->error));
	return job->code;
}

static bool is_to_be_removed(const struct duct *duct)
{
	const struct job_result *job = &duct->outcome.job;
	double fail_time = duct->arguments.fail_time;

	return job->code != 0 &&
	       (fail_time < 0 || job->values.numbers[JOB_wall_clock_time] < fail_time);
}

static void remove_files(struct duct *duct)
{
	double fail_time = duct->arguments.fail_time;

	duct_files_remove(&duct->files);
	duct_outcome_show(&duct->outcome);
	if (fail_time > 0)
		duct_log(duct->arguments.level, DUCT_INFO_LEVEL,
		         "Removing log files since command failed in less than %g seconds.",
		         fail_time);
	else
		duct_log(duct->arguments.level, DUCT_INFO_LEVEL,
		         "Removing log files since command failed.");
}

/* The command has ended; nvidia-smi has had as long as it to answer. */
static void finish_gpu(struct duct *duct)
{
	enum { MOST_MS = 10000 };
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (duct_gpu_finish(&duct->gpu, MOST_MS, &duct->gpus, &reason) < 0)
		duct_log(duct->arguments.level, DUCT_WARNING,
		         "nvidia-smi: %s; the GPUs are not known", strbuf_str(&reason));
}

static void warn_of_stalled(const struct duct *duct)
{
	double count = duct->outcome.job.values.numbers[JOB_processes_stalled];

	if (count > 0)
		duct_log(duct->arguments.level, DUCT_WARNING,
		         "reading /proc stalled for %.0f %s of the command, which records lack",
		         count, count == 1 ? "process" : "processes");
}

static void summarize(struct duct *duct)
{
	const struct duct_outcome *outcome = &duct->outcome;
	const struct duct_arguments *arguments = &duct->arguments;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct duct_summary summary;

	duct_summary_make(&summary,
	                  &(struct duct_run_facts){
	                          .command = strbuf_str(&duct->command),
	                          .prefix = duct->files.prefix,
	                          .working_directory = duct->directory,
	                          .recorded = outcome->recorded,
	                  },
	                  &outcome->job);
	finish_gpu(duct);
	write_info(duct, &summary);
	duct_outcome_show(&duct->outcome);
	if (outcome->output_error < 0)
		log_file(duct, DUCT_STDOUT, strerror(-outcome->output_error));
	warn_of_stalled(duct);
	if (outcome->recorded.error < 0)
		log_file(duct, DUCT_USAGE, strerror(-outcome->recorded.error));
	duct_summary_format(&summary, arguments->summary_format, arguments->colors, &text);
	duct_log(arguments->level, DUCT_INFO_LEVEL, "%s", strbuf_str(&text));
}

/* Returns the exit code. */
static int run_command(struct duct *duct, char **argv, const struct job_inherited *inherited)
{
	const struct duct_arguments *arguments = &duct->arguments;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const struct duct_options options = {
	        .argv = argv,
	        .inherited = inherited,
	        .files = &duct->files,
	        .shows_stdout = has(arguments->show, DUCT_STREAMS_STDOUT),
	        .shows_stderr = has(arguments->show, DUCT_STREAMS_STDERR),
	        .has_records = arguments->records != DUCT_RECORDS_SUMMARY,
	        .new_session = !arguments->current_session,
	        .pty = arguments->pty,
	        .sample_ns = (uint64_t)(arguments->sample * NS_PER_SECOND),
	        .report_ns = (uint64_t)(arguments->report * NS_PER_SECOND),
	        .smaps = arguments->smaps,
	        .started = say_started,
	        .signalled = say_signal,
	        .context = duct,
	};

	write_info(duct, NULL);
	if (arguments->records != DUCT_RECORDS_SAMPLES)
		duct_gpu_start(&duct->gpu);
	if (duct_run(&options, &duct->outcome, &reason) < 0) {
		duct_files_remove(&duct->files);
		duct_log(arguments->level, DUCT_ERROR, "%s", strbuf_str(&reason));
		return EXIT_FAILED;
	}
	if (!duct->outcome.job.started)
		return report_not_started(duct, argv[0]);
	if (is_to_be_removed(duct))
		remove_files(duct);
	else
		summarize(duct);
	return duct->outcome.job.code;
}

/* The command gets the variables as well. */
static void set_environment(const struct duct_variables *variables)
{
	for (size_t i = 0; i < variables->count; i++)
		(void)setenv(variables->entries[i].name, variables->entries[i].value, 0);
}

static void replay(const struct duct_arguments *arguments, const struct duct_messages *messages)
{
	for (size_t i = 0; i < messages->count; i++)
		duct_log(arguments->level, messages->entries[i].level, "%s",
		         messages->entries[i].text);
	if (arguments->sample < 1)
		duct_log(arguments->level, DUCT_DEBUG, "--sample-interval is below 1 second");
}

static int check(const struct command *command, const struct duct_arguments *arguments, int given)
{
	if (given == 0)
		return cli_usage_error(command, "a command is missing");
	if (arguments->report < arguments->sample)
		return cli_usage_error(command, "--report-interval is less than --sample-interval");
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(duct_variables_done) struct duct_variables variables = {0};
	cleanup_(duct_messages_done) struct duct_messages messages = {0};
	cleanup_(duct_done) struct duct duct = {.gpu = DUCT_GPU_INIT};
	struct job_inherited inherited;
	int id, r;

	duct_config_read(&variables, &messages);
	set_environment(&variables);
	r = duct_arguments_init(&duct.arguments, command);
	if (r != EXIT_DONE)
		return r;
	id = duct_arguments_parse(&duct.arguments, command, argc, argv);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	r = check(command, &duct.arguments, argc - optind);
	if (r != EXIT_DONE)
		return r;
	replay(&duct.arguments, &messages);
	duct_command_add(argv + optind, &duct.command);
	duct.directory = getcwd(NULL, 0);
	if (!duct.directory)
		duct.directory = mem_copy("", 0);
	if (job_inherited_save(&inherited) < 0) {
		cli_error("the settings of signals cannot be read");
		return EXIT_FAILED;
	}
	r = open_files(&duct);
	return r == EXIT_DONE ? run_command(&duct, argv + optind, &inherited) : r;
}

static const char *const other_names[] = {"con-duct", NULL};

const struct command command_duct = {
        .name = "duct",
        .summary = "Run a command, and write what it used into con-duct's files",
        .other_names = other_names,
        .operands = "[--] COMMAND...",
        .operand_values = TAKES(FILE),
        .options = {duct_options, NULL},
        .notes = notes,
        .launches = true,
        .run = run,
};
