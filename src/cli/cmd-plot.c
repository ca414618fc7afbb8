// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/scan.h"
#include "base/text.h"
#include "cli/commands.h"
#include "command/options.h"
#include "input/job-files.h"
#include "plot/plot.h"
#include "query/report-options.h"

enum { OPT_FORMAT = 1, OPT_OUTPUT, OPT_SERIES, OPT_BY, OPT_CPU, OPT_SIZE, OPT_COLOR, OPT_CSV_RAW };

enum {
	LINES_DEFAULT = 24,
	COLUMNS_DEFAULT = 80,
	SIZE_MOST = 20000,
	MEMORY_MIB = 1024, /* for the records and the picture */
};

enum format { FORMAT_TEXT, FORMAT_SVG, FORMAT_NUMBERS, FORMAT_UNSET };
static const char *const formats[] = {"text", "svg", "csv", NULL};
enum by { BY_SERIES, BY_PROCESS };
static const char *const bys[] = {"series", "process", NULL};
static const char *const cpus[] = {"ps-pcpu", "ps-cpu-timepoint", NULL};

static const struct cli_option options[] = {
        {OPT_FORMAT, 'f', "format", "FORMAT", "text (default), svg, or csv: the numbers",
         TAKES_WORD(formats)},
        {OPT_OUTPUT, 'o', "output", "FILE", "write to FILE; *.svg and *.csv have their format",
         TAKES(FILE)},
        {OPT_SERIES, 's', "series", "LIST", "draw these: cpu,rss,pss,processes,...",
         TAKES_WORDS(series_names)},
        {OPT_BY, 'b', "by", "WHAT", "series (default), or process: what each used",
         TAKES_WORD(bys)},
        {OPT_CPU, 0, "cpu", "WHICH", "CPU use since a process began, or since a record",
         TAKES_WORD(cpus)},
        {OPT_SIZE, 0, "size", "SIZE", "COLUMNSxLINES of text, pixels of svg: 100x40", TAKES(TEXT)},
        {OPT_CSV_RAW, 0, "csv-raw", NULL, "in csv, leave what looks like a formula as it is",
         TAKES(NOTHING)},
        {OPT_COLOR, 0, "color", "WHEN", "auto (default), always or never",
         TAKES_WORD(report_colors)},
        {0},
};

static const char *const notes[] = {
        "FILE is a usage.jsonl of con-duct or of 'ctprof duct', the info.json beside it,",
        "a directory with both, their prefix, or - for standard input. WHICH is",
        "ps-pcpu (default) or ps-cpu-timepoint.",
        NULL,
};

struct arguments {
	enum format format;
	enum by by;
	const char *output;
	enum series_cpu cpu;
	int color;
	bool chosen; /* --series */
	struct plot plot;
};

static int parse_series(const struct option_parser *parser, struct arguments *ret)
{
	cleanup_(strbuf_done) struct strbuf word = STRBUF_INIT;
	const char *rest = parser->value;

	if (!ret->chosen)
		memset(ret->plot.shown, 0, sizeof(ret->plot.shown));
	ret->chosen = true;
	for (;;) {
		size_t len = strcspn(rest, ","), i = 0;

		strbuf_clear(&word);
		strbuf_add(&word, rest, len);
		while (i < SERIES_COUNT && strcmp(series_names[i], strbuf_str(&word)) != 0)
			i++;
		if (i == SERIES_COUNT) {
			const char *nearest = cli_nearest(strbuf_str(&word), series_names);

			return options_error(parser, "'%s' is no series%s%s%s", strbuf_str(&word),
			                     nearest ? "; did you mean '" : "",
			                     nearest ? nearest : "", nearest ? "'?" : "");
		}
		ret->plot.shown[i] = true;
		if (rest[len] == '\0')
			return 0;
		rest += len + 1;
	}
}

static bool parse_side(const char *text, size_t len, unsigned *ret)
{
	uint64_t number;

	if (!scan_u64(text, len, &number) || number < 1 || number > SIZE_MOST)
		return false;
	*ret = (unsigned)number;
	return true;
}

static int parse_size(const struct option_parser *parser, struct plot *plot)
{
	const char *x = strchr(parser->value, 'x');

	if (x && parse_side(parser->value, (size_t)(x - parser->value), &plot->width) &&
	    parse_side(x + 1, strlen(x + 1), &plot->height))
		return 0;
	return options_error(parser, "'%s' is not a size such as 100x40, up to %d", parser->value,
	                     SIZE_MOST);
}

static int parse_one(const struct option_parser *parser, int id, struct arguments *ret)
{
	int r = 0;

	switch (id) {
	case OPT_FORMAT:
		r = options_choose(parser, formats);
		ret->format = (enum format)r;
		break;
	case OPT_OUTPUT:
		ret->output = parser->value;
		break;
	case OPT_SERIES:
		return parse_series(parser, ret);
	case OPT_BY:
		r = options_choose(parser, bys);
		ret->by = (enum by)r;
		break;
	case OPT_CPU:
		r = options_choose(parser, cpus);
		ret->cpu = (enum series_cpu)r;
		break;
	case OPT_SIZE:
		return parse_size(parser, &ret->plot);
	case OPT_CSV_RAW:
		ret->plot.csv_raw = true;
		break;
	case OPT_COLOR:
		r = options_choose(parser, report_colors);
		ret->color = r;
		break;
	}
	return r;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && strcmp(text + len - end_len, end) == 0;
}

/* The name of the file decides the format, if nothing else does. */
static int choose_format(const struct command *command, struct arguments *arguments)
{
	static const char *const others[] = {".png", ".pdf", ".jpg", ".jpeg",
	                                     ".ps",  ".eps", ".webp"};

	if (arguments->output && arguments->output[0] == '\0')
		return cli_usage_error(command, "--output needs a name");
	if (arguments->format != FORMAT_UNSET)
		return EXIT_DONE;
	arguments->format = FORMAT_TEXT;
	if (!arguments->output)
		return EXIT_DONE;
	if (ends_with(arguments->output, ".svg"))
		arguments->format = FORMAT_SVG;
	if (ends_with(arguments->output, ".csv"))
		arguments->format = FORMAT_NUMBERS;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (ends_with(arguments->output, others[i]))
			return cli_usage_error(command,
			                       "--output %s: the formats are text, svg and csv",
			                       arguments->output);
	return EXIT_DONE;
}

/* Returns the lines that a terminal has. */
static unsigned terminal_lines(void)
{
	const char *lines = getenv("LINES");
	struct winsize size;
	unsigned number;

	if (lines && parse_side(lines, strlen(lines), &number))
		return number;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
		return size.ws_row;
	return LINES_DEFAULT;
}

static void set_style(struct arguments *arguments)
{
	struct table_style style = report_style(arguments->color);
	struct plot *plot = &arguments->plot;

	plot->ascii = style.ascii;
	if (arguments->format == FORMAT_SVG)
		return;
	/* A file gets colours only if they are asked for. */
	plot->color = style.color && (!arguments->output || arguments->color > 0);
	if (plot->width > 0)
		return;
	plot->width = style.width > 0 ? style.width : COLUMNS_DEFAULT;
	/* The prompt has a line. */
	plot->height = terminal_lines() - 1;
}

static int write_picture(const struct arguments *arguments, const struct strbuf *text)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	int r;

	if (!arguments->output) {
		fwrite(text->data, 1, text->len, stdout);
		return cli_finish_output(0);
	}
	r = output_open(&output, arguments->output, OUTPUT_PUBLIC);
	if (r == 0)
		r = output.sink.write(&output.sink, text->data, text->len);
	if (r == 0)
		r = output_commit(&output);
	if (r == 0)
		return EXIT_DONE;
	cli_error("%s: %s", arguments->output, output_reason(&output, r));
	return EXIT_FAILED;
}

/* Says what of the file is not in the picture. */
static void note_left_out(const char *path, const struct series *series)
{
	if (series->bad_lines > 0)
		cli_error("%s: %zu line%s no record%s, and left out; line %zu: %s", path,
		          series->bad_lines, series->bad_lines == 1 ? " is" : "s are",
		          series->bad_lines == 1 ? "" : "s", series->first_bad_line,
		          strbuf_str(&series->first_bad));
	if (series->is_torn)
		cli_error("%s: the last line is torn, and left out", path);
}

static int report_no_record(const char *path, const struct series *series)
{
	if (series->bad_lines > 0)
		cli_error("%s: no line is a record; line %zu: %s", path, series->first_bad_line,
		          strbuf_str(&series->first_bad));
	else if (series->is_torn)
		cli_error("%s: the only line is torn", path);
	else
		cli_error("%s: there is no record: the job ended before the first sample, or was "
		          "not sampled",
		          path);
	return EXIT_FAILED;
}

static int check_processes(const char *path, const struct series *series)
{
	if (!series->too_many_points && series->points > 0)
		return EXIT_DONE;
	if (series->too_many_points)
		cli_error("%s: the processes have more than %d values", path, SERIES_POINTS_MAX);
	else
		cli_error("%s: no record has a process", path);
	return EXIT_FAILED;
}

static int check_series(const char *path, const struct arguments *arguments)
{
	const struct series *series = arguments->plot.series;

	if (series->count == 0)
		return report_no_record(path, series);
	note_left_out(path, series);
	if (arguments->by == BY_PROCESS)
		return check_processes(path, series);
	if (series->too_many_points && arguments->format == FORMAT_SVG)
		cli_error("%s: too many processes to draw each by itself", path);
	if (!plot_has_lines(&arguments->plot)) {
		cli_error("%s: no record has a value of %s", path,
		          arguments->chosen ? "these series" : "any series");
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static void add_picture(const struct arguments *arguments, struct strbuf *out)
{
	const struct plot *plot = &arguments->plot;

	switch (arguments->format) {
	case FORMAT_SVG:
		plot_svg(plot, out);
		break;
	case FORMAT_NUMBERS:
		arguments->by == BY_PROCESS ? plot_processes_csv(plot, out) : plot_csv(plot, out);
		break;
	default:
		arguments->by == BY_PROCESS ? plot_processes_text(plot, out) : plot_text(plot, out);
	}
}

static int draw(struct arguments *arguments, const char *operand)
{
	cleanup_(fd_source_done) struct fd_source source = FD_SOURCE_INIT;
	cleanup_(job_info_done) struct job_info info = {0};
	cleanup_(series_done) struct series series = {0};
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	int r, status;

	if (job_usage_open(operand, &source, &path, &info) < 0)
		return EXIT_FAILED;
	r = series_read(&series, &source.source, arguments->cpu);
	if (r < 0) {
		cli_error("%s: %s", strbuf_str(&path),
		          r == -EFBIG ? "a line is longer than 32 MiB" : strerror(-r));
		return EXIT_FAILED;
	}
	arguments->plot.series = &series;
	arguments->plot.info = &info;
	arguments->plot.name = strbuf_str(&path);
	status = check_series(strbuf_str(&path), arguments);
	if (status != EXIT_DONE)
		return status;
	add_picture(arguments, &text);
	return write_picture(arguments, &text);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {.format = FORMAT_UNSET};
	struct option_parser parser;
	int id, status, r = 0;

	plot_show_default(arguments.plot.shown);
	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = parse_one(&parser, id, &arguments);
	options_done(&parser);
	if (r < 0 || id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (optind == argc)
		return cli_usage_error(command, "a file is missing");
	if (optind + 1 < argc)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind + 1]);
	status = choose_format(command, &arguments);
	if (status != EXIT_DONE)
		return status;
	if (arguments.by == BY_PROCESS && arguments.format == FORMAT_SVG)
		return cli_usage_error(command, "'ctprof report -f svg --chart processes' draws "
		                                "processes");
	if (arguments.by == BY_PROCESS && arguments.chosen)
		return cli_usage_error(command, "--series is not for processes");
	set_style(&arguments);
	mem_limit((uint64_t)MEMORY_MIB << 20);
	return draw(&arguments, argv[optind]);
}

static const char *const other_names[] = {"graph", "draw", "chart", NULL};

const struct command command_plot = {
        .name = "plot",
        .summary = "Draw what a job used over its time",
        .other_names = other_names,
        .operands = "FILE",
        .operand_values = TAKES(FILE),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
