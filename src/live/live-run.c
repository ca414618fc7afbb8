// SPDX-License-Identifier: GPL-2.0-or-later
/* A window is kept as the bytes of its snapshot, so that keys change the report of a window that is over, a frozen one too. */
#include "live/live-run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/memory-stream.h"
#include "capture/capture-series.h"
#include "live/live-state.h"
#include "overview/aspect.h"
#include "query/explain-group.h"
#include "screen/screen.h"

enum {
	BARS = 2, /* lines above and below the report */
	ROWS_WITH_BARS = 6,
	HEAD_MAX = 12,     /* lines that stay when the rest is scrolled */
	ARGUMENTS_MAX = 8, /* that a state adds */
};
#define BACKGROUND_NS 200000000L /* between looks whether the terminal is ours again */
#define FIRST_NS NS_PER_SECOND   /* somebody waits for the first window */

struct live {
	const struct command *command;
	int argc;
	char **argv;
	struct live_state state;
	struct capture_series *series;
	int signal_fd;
	struct memory_stream shown, next; /* snapshots */
	struct strbuf text, order, groups;
	size_t rows, columns;
	uint64_t begin_ns, until_ns; /* of the window that is running */
	uint64_t windows, windows_max;
	bool is_ordered; /* by keys, and not by options about metrics */
	bool redraws;    /* the whole terminal */
};

static sigset_t signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaddset(&set, numbers[i]);
	return set;
}

/* Returns whether the argument is the option that the key D takes back. */
static bool is_delays(const char *argument)
{
	size_t len = strlen(argument);

	return len >= strlen("--d") && strncmp("--delays", argument, len) == 0;
}

/* Appends the order that keys have chosen; that of the overview is no option. */
static int add_order(const struct live_state *state, struct strbuf *order, char **ret)
{
	const char *id = live_delay_id(state->sort[LIVE_DELAYS]);

	if (!state->delays || !(state->is_sorted[LIVE_DELAYS] || state->ascending))
		return 0;
	strbuf_clear(order);
	strbuf_addf(order, "--sort-by=%s%s:%s", id ? id : "total_offcpu_delay_ns",
	            id ? "_delay_total_ns" : "", state->ascending ? "asc" : "desc");
	ret[0] = order->data;
	return 1;
}

static int parse(const struct live *live, struct strbuf *order, struct strbuf *group,
                 struct report_options *ret)
{
	cleanup_(mem_freep) char **arguments =
	        mem_calloc((size_t)live->argc + ARGUMENTS_MAX, sizeof(*arguments));
	const struct live_state *state = &live->state;
	static char all[] = "--limit=0", delays[] = "--delays";
	int count = 0, id;

	arguments[count++] = live->argv[0];
	/* A limit of the user's is behind it, and counts. */
	arguments[count++] = all;
	for (int i = 1; i < live->argc; i++)
		if (!is_delays(live->argv[i]))
			arguments[count++] = live->argv[i];
	if (state->group) {
		strbuf_addf(group, "--group-by=%s", state->group);
		arguments[count++] = group->data;
	}
	if (state->delays)
		arguments[count++] = delays;
	count += add_order(state, order, arguments + count);
	id = report_options_parse(ret, live->command, count, arguments);
	if (id != OPTIONS_END)
		return -EINVAL;
	if (!state->delays && state->is_sorted[LIVE_OVERVIEW])
		ret->sort.aspect = state->sort[LIVE_OVERVIEW] > 0 ? state->sort[LIVE_OVERVIEW] - 1
		                                                  : (unsigned)ASPECT_COUNT;
	if (state->ascending)
		ret->sort.ascending = true;
	return 0;
}

static void note_order(struct live *live, const struct report_options *options)
{
	const char *id = live_delay_id(live->state.sort[LIVE_DELAYS]);

	strbuf_clear(&live->order);
	live->is_ordered = live->state.delays || options->overview;
	if (live->state.delays)
		strbuf_addf(&live->order, "%s delays", id ? id : "all");
	else if (!options->overview)
		strbuf_add_str(&live->order, "the options");
	else if (options->sort.aspect < ASPECT_COUNT)
		strbuf_add_str(&live->order, aspect_table[options->sort.aspect].heading);
	else
		strbuf_add_str(&live->order, "score");
	strbuf_clear(&live->groups);
	report_add_group_by(&options->by, &live->groups);
}

static int print_report(const struct report *report, void *context)
{
	struct live *live = context;
	struct report shown = *report;
	char *bytes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&bytes, &len);

	if (!file)
		return EXIT_FAILED;
	shown.style = (struct table_style){
	        .color = true, .width = (unsigned)live->columns, .ascii = screen_is_ascii()};
	report_table(file, &shown);
	mem_stream_close(file, &bytes);
	strbuf_add(&live->text, bytes, len);
	free(bytes);
	return EXIT_DONE;
}

/* Makes the lines of the report of the last window. Returns 0 or -errno. */
static int make_report(struct live *live, struct strbuf *reterr)
{
	cleanup_(strbuf_done) struct strbuf order = STRBUF_INIT, group = STRBUF_INIT;
	cleanup_(report_options_done) struct report_options options;
	int r;

	screen_resize(&live->rows, &live->columns);
	report_options_init(&options, 1);
	r = parse(live, &order, &group, &options);
	if (r < 0)
		return r;
	note_order(live, &options);
	strbuf_clear(&live->text);
	if (live->shown.bytes.len == 0) {
		strbuf_add_str(&live->text, "the first window is running\n");
		return 0;
	}
	live->shown.position = 0;
	return report_visit_source(&options, "this host", &live->shown.source, reterr, print_report,
	                           live);
}

struct line {
	const char *text;
	size_t len;
};

/* Splits a text. The lines are owned, their text is borrowed. */
static struct line *split(const struct strbuf *text, size_t *ret_count)
{
	const char *at = strbuf_str(text), *end = at + text->len;
	struct line *lines = NULL;
	size_t count = 0, capacity = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);

		*array_add(lines, count, capacity) = (struct line){at, len};
		at += len + 1;
	}
	*ret_count = count;
	return lines;
}

/* Returns how many lines stay: those up to the headings of the columns, which are the first in bold. */
static size_t head_of(const struct line *lines, size_t count, size_t room)
{
	for (size_t i = 0; i < count && i < HEAD_MAX && i + 1 < room; i++)
		if (lines[i].len > 0 && lines[i].text[0] == '\033')
			return i + 1;
	return 0;
}

static size_t page_of(const struct live *live)
{
	return live->rows > ROWS_WITH_BARS ? live->rows - ROWS_WITH_BARS : 1;
}

static void draw_bars(const struct live *live, size_t first, size_t last, size_t count)
{
	cleanup_(strbuf_done) struct strbuf top = STRBUF_INIT, bottom = STRBUF_INIT;

	strbuf_add_str(&top, live->state.frozen ? "FROZEN  " : "");
	strbuf_add_str(&top, "ctprof top  every ");
	live_add_length(live->state.every_ns, &top);
	strbuf_addf(&top, "  by %s  order: %s%s", strbuf_str(&live->groups),
	            strbuf_str(&live->order),
	            live->state.ascending && live->is_ordered ? " (reverse)" : "");
	strbuf_add_str(&bottom, "q quit  h help  space freeze  <> order  D delays  +- time");
	if (last - first < count)
		strbuf_addf(&bottom, "  lines %zu-%zu of %zu", first + 1, last, count);
	screen_put(0, strbuf_str(&top), top.len, true);
	screen_put(live->rows - 1, strbuf_str(&bottom), bottom.len, true);
}

static void draw(struct live *live)
{
	cleanup_(strbuf_done) struct strbuf help = STRBUF_INIT;
	cleanup_(mem_freep) struct line *lines = NULL;
	size_t count, head, above, room, last;

	if (!screen_is_ours())
		return;
	screen_enter();
	screen_resize(&live->rows, &live->columns);
	if (live->state.help)
		live_add_help(&help);
	lines = split(live->state.help ? &help : &live->text, &count);
	above = live->rows >= ROWS_WITH_BARS ? 1 : 0;
	room = above ? live->rows - BARS : live->rows;
	head = head_of(lines, count, room);
	room -= head;
	count -= head;
	if (live->state.first + room > count)
		live->state.first = count > room ? count - room : 0;
	last = live->state.first + room < count ? live->state.first + room : count;
	for (size_t i = 0; i < head; i++)
		screen_put(above + i, lines[i].text, lines[i].len, false);
	for (size_t i = 0; i < room; i++) {
		const struct line *line = &lines[head + live->state.first + i];
		bool is_there = live->state.first + i < last;

		screen_put(above + head + i, is_there ? line->text : "", is_there ? line->len : 0,
		           false);
	}
	if (above)
		draw_bars(live, live->state.first, last, count);
	screen_show(live->redraws);
	live->redraws = false;
}

/* Stops as SIGTSTP stops other programs. */
static void stop(struct live *live)
{
	sigset_t set;

	screen_leave();
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	screen_enter();
	live->redraws = true;
}

static enum live_effect read_signals(struct live *live)
{
	struct signalfd_siginfo which;
	enum live_effect effect = LIVE_NOTHING;

	while (read(live->signal_fd, &which, sizeof(which)) == (ssize_t)sizeof(which))
		switch (which.ssi_signo) {
		case SIGTSTP:
			stop(live);
			effect = LIVE_REPORT;
			break;
		case SIGCONT:
			/* The terminal may have been left in another mode. */
			if (screen_is_ours()) {
				screen_leave();
				screen_enter();
			}
			live->redraws = true;
			effect = LIVE_REPORT;
			break;
		case SIGWINCH:
			effect = LIVE_REPORT;
			break;
		default:
			return LIVE_QUIT;
		}
	return effect;
}

static enum live_effect read_keys(struct live *live)
{
	enum live_effect effect = LIVE_NOTHING, next;
	int key;

	while ((key = screen_key()) != SCREEN_NO_KEY) {
		next = live_state_key(&live->state, key, page_of(live));
		if (next == LIVE_LENGTH) {
			capture_series_set_next(live->series, live->state.every_ns, NULL);
			live->until_ns = live->begin_ns + live->state.every_ns;
		}
		effect = next > effect ? next : effect;
	}
	return effect;
}

/* Reads the window that is over, and has the next one begin. A frozen view keeps what it has. */
static int read_window(struct live *live, struct strbuf *reterr)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	struct snapshot_writer *writer;
	struct memory_stream kept;
	int r;

	strbuf_clear(&live->next.bytes);
	writer = snapshot_writer_new(&live->next.sink, SNAPSHOT_ZSTD_LEVEL);
	r = capture_series_next(live->series, true, writer, &info, reterr);
	snapshot_writer_freep(&writer);
	if (r < 0)
		return r;
	live->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	live->until_ns = live->begin_ns + live->state.every_ns;
	live->windows++;
	if (!live->state.frozen) {
		kept = live->shown;
		live->shown = live->next;
		live->next = kept;
	}
	return 0;
}

/* Waits for a key, a signal or the end of the window. Returns what it asks for, or -errno. */
static int wait_next(struct live *live, struct strbuf *reterr)
{
	enum { KEYS, SIGNALS, POLLED };
	struct pollfd polled[POLLED] = {[KEYS] = {.fd = STDIN_FILENO, .events = POLLIN},
	                                [SIGNALS] = {.fd = live->signal_fd, .events = POLLIN}};
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	uint64_t left_ns = live->until_ns > now_ns ? live->until_ns - now_ns : 0;
	bool is_ours = screen_is_ours();
	struct timespec timeout = {.tv_sec = (time_t)(left_ns / NS_PER_SECOND),
	                           .tv_nsec = (long)(left_ns % NS_PER_SECOND)};
	enum live_effect of_signals = LIVE_NOTHING, of_keys = LIVE_NOTHING;
	int r;

	/* A shell that puts it into the foreground sends no signal. */
	if (!is_ours) {
		polled[KEYS].events = 0;
		timeout = (struct timespec){.tv_nsec = left_ns < BACKGROUND_NS ? (long)left_ns
		                                                               : BACKGROUND_NS};
	}
	r = ppoll(polled, POLLED, &timeout, NULL);
	if (r < 0)
		return errno == EINTR ? LIVE_NOTHING : -errno;
	if (r == 0 && clock_now_ns(CLOCK_MONOTONIC) < live->until_ns)
		return is_ours ? LIVE_NOTHING : LIVE_DRAW;
	if (r == 0) {
		r = read_window(live, reterr);
		return r < 0 ? r : live->windows == live->windows_max ? LIVE_QUIT : LIVE_REPORT;
	}
	/* A terminal that has died has no more keys. */
	if (polled[KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
		return LIVE_QUIT;
	if (polled[SIGNALS].revents)
		of_signals = read_signals(live);
	if (polled[KEYS].revents & POLLIN)
		of_keys = read_keys(live);
	return of_signals > of_keys ? (int)of_signals : (int)of_keys;
}

static int show_windows(struct live *live, struct strbuf *reterr)
{
	uint64_t first_ns = live->state.every_ns < FIRST_NS ? live->state.every_ns : FIRST_NS;
	int effect = LIVE_REPORT;

	live->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	live->until_ns = live->begin_ns + first_ns;
	capture_series_set_next(live->series, first_ns, NULL);
	while (effect != LIVE_QUIT) {
		int r = effect >= LIVE_REPORT ? make_report(live, reterr) : 0;

		if (r < 0)
			return r;
		if (effect != LIVE_NOTHING)
			draw(live);
		if (live->windows == 1)
			capture_series_set_next(live->series, live->state.every_ns, NULL);
		effect = wait_next(live, reterr);
		if (effect < 0)
			return effect;
	}
	return 0;
}

static int open_all(struct live *live, const struct report_options *options, struct strbuf *reterr)
{
	struct capture_series_options how = {
	        .capture = {.smaps = CAPTURE_SMAPS_OFF, .jemalloc = JEMALLOC_MODE_OFF},
	        .length_ns = live->state.every_ns};
	sigset_t set = signals();
	int r;

	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	live->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (live->signal_fd < 0)
		return -errno;
	r = capture_series_new(&how, &live->series, reterr);
	return r < 0 ? r : screen_open(report_style(options->color).color, reterr);
}

int live_run(const struct command *command, int argc, char **argv,
             const struct report_options *options, uint64_t every_ns)
{
	struct live live = {.command = command,
	                    .argc = argc,
	                    .argv = argv,
	                    .state = live_state_make(options->delays, every_ns),
	                    .signal_fd = -1,
	                    .shown = memory_stream_make(),
	                    .next = memory_stream_make(),
	                    .windows_max = options->cycles.count};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = open_all(&live, options, &reason);

	if (r == 0)
		r = show_windows(&live, &reason);
	screen_close();
	if (r < 0)
		cli_error("%s", reason.len > 0 ? strbuf_str(&reason) : strerror(-r));
	capture_series_freep(&live.series);
	fd_closep(&live.signal_fd);
	memory_stream_done(&live.shown);
	memory_stream_done(&live.next);
	strbuf_done(&live.text);
	strbuf_done(&live.order);
	strbuf_done(&live.groups);
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}
