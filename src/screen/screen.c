// SPDX-License-Identifier: GPL-2.0-or-later
#include "screen/screen.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/mem.h"
#include "ctprof/base/macro.h"

enum { ESCAPE = 0x1b, ESCAPE_WAIT_MS = 50, PAIR_OF_RED = 1, SGR_RED = 31, SGR_WHITE = 37 };

static SCREEN *terminal;
static bool is_left, has_pairs, is_ascii;

/* The modes and the texts with which undo_screen() gives the terminal back. */
static struct termios modes_before;
static bool has_modes_before;
static char *leave_texts[4];

/* Characters are shown by the locale, which may be one of UTF-8 that is not installed. C.UTF-8 always is. */
static void choose_locale(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *name = "";

	for (size_t i = 0; i < ARRAY_SIZE(names) && name[0] == '\0'; i++) {
		const char *value = getenv(names[i]);

		if (value)
			name = value;
	}
	if (!setlocale(LC_CTYPE, "") && (strcasestr(name, "utf-8") || strcasestr(name, "utf8")))
		setlocale(LC_CTYPE, "C.UTF-8");
	is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* Has pairs of colours with the numbers of the escape sequences. */
static void start_colors(void)
{
	has_pairs = has_colors() && start_color() == OK && use_default_colors() == OK;
	for (short i = 0; has_pairs && i <= SGR_WHITE - SGR_RED; i++)
		has_pairs = init_pair((short)(PAIR_OF_RED + i), (short)(COLOR_RED + i), -1) == OK;
}

/* Ctrl-S is a key like others: output that waits for Ctrl-Q would keep the process from hearing of signals. */
static void set_modes(void)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_WAIT_MS);
	if (tcgetattr(STDIN_FILENO, &modes) == 0) {
		modes.c_iflag &= ~(tcflag_t)IXON;
		if (tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) == 0)
			def_prog_mode();
	}
}

static void on_stop(int number)
{
	(void)number;
}

/* While it draws, ncurses ignores a SIGTSTP that has the default action, and one that is blocked and pending is lost for good.
 * It leaves alone a signal that has a handler. This one never runs, since the caller has blocked the signal. */
static void keep_stop_signal(void)
{
	struct sigaction action;

	if (sigaction(SIGTSTP, NULL, &action) < 0 || action.sa_handler != SIG_DFL)
		return;
	action.sa_handler = on_stop;
	(void)!sigaction(SIGTSTP, &action, NULL);
}

/* Returns whether texts can be put anywhere. tigetstr(3) would need memory. */
static bool is_able(void)
{
	return cursor_address && clear_screen;
}

/* Keeps the library from moving lines: without memory for that, it moves them by numbers that nobody has set. */
static void forget_scrolling(void)
{
	change_scroll_region = NULL;
	scroll_forward = scroll_reverse = NULL;
	parm_index = parm_rindex = NULL;
	insert_line = delete_line = NULL;
	parm_insert_line = parm_delete_line = NULL;
}

/* The library takes memory for each cell, and has short numbers. */
enum { SIDE_CELLS_MAX = 1000 };

/* Finds the size that the terminal says it has, or the part of it that is used. */
static bool find_size(struct winsize *ret_size)
{
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, ret_size) < 0 || ret_size->ws_row == 0 ||
	    ret_size->ws_col == 0)
		return false;
	if (ret_size->ws_row > SIDE_CELLS_MAX)
		ret_size->ws_row = SIDE_CELLS_MAX;
	if (ret_size->ws_col > SIDE_CELLS_MAX)
		ret_size->ws_col = SIDE_CELLS_MAX;
	return true;
}

/* Sets a variable that the library prefers to the size of the terminal, unless the user has set it. */
static void set_side(const char *name, unsigned cells)
{
	char text[8];

	if (cells < SIDE_CELLS_MAX)
		return;
	snprintf(text, sizeof(text), "%u", cells);
	(void)setenv(name, text, false);
}

static void set_size(void)
{
	struct winsize size;

	if (!find_size(&size))
		return;
	set_side("LINES", size.ws_row);
	set_side("COLUMNS", size.ws_col);
}

/* Gives the terminal back when memory lacks: the library may be in use by another thread, and may need memory itself. */
static void undo_screen(struct mem_undo *self)
{
	(void)self;
	if (!terminal || is_left || !screen_is_ours())
		return;
	for (size_t i = 0; i < ARRAY_SIZE(leave_texts); i++)
		if (leave_texts[i])
			(void)!write(STDOUT_FILENO, leave_texts[i], strlen(leave_texts[i]));
	if (has_modes_before)
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
}

/* Prepares undo_screen(). Padding is for terminals that are no more. */
static void prepare_undo(void)
{
	static struct mem_undo undo = {.undo = undo_screen};
	const char *const texts[ARRAY_SIZE(leave_texts)] = {exit_attribute_mode, keypad_local,
	                                                    cursor_normal, exit_ca_mode};

	/* The modes are other ones by now. The page is turned to when something is drawn. */
	mem_undo_push(&undo);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i])
			leave_texts[i] = mem_copy(texts[i], strcspn(texts[i], "$"));
}

/* ncurses uses what malloc(3) has returned without a look at it: in newterm(3) and use_default_colors(3), and for the parameters of each
 * text that it writes. */
static void on_fault(int number)
{
	if (errno == ENOMEM)
		mem_exhausted();
	/* Any other fault comes again at once, and ends the program. */
	signal(number, SIG_DFL);
}

/* Ends the program where the library lacks memory, until guard_end(). */
static void guard_begin(struct sigaction *ret_before)
{
	const struct sigaction guard = {.sa_handler = on_fault};
	sigset_t faults;

	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	/* The caller may have blocked all signals: then a fault ends the program without the handler. */
	(void)pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
	(void)sigaction(SIGSEGV, &guard, ret_before);
	mem_watch();
}

static void guard_end(const struct sigaction *before)
{
	mem_watch_end();
	(void)sigaction(SIGSEGV, before, NULL);
}

static int open_screen(bool with_colors, struct strbuf *reterr)
{
	static bool is_known_to_exit;
	const char *term = getenv("TERM");

	choose_locale();
	keep_stop_signal();
	set_size();
	has_modes_before = tcgetattr(STDIN_FILENO, &modes_before) == 0;
	terminal = newterm(NULL, stdout, stdin);
	if (terminal && !is_able()) {
		endwin();
		delscreen(terminal);
		terminal = NULL;
	}
	if (!terminal) {
		strbuf_addf(reterr, "a terminal of the type '%s' has no screen", term ? term : "");
		return -ENOTTY;
	}
	if (!is_known_to_exit) {
		prepare_undo();
		is_known_to_exit = atexit(screen_close) == 0;
	}
	is_left = false;
	forget_scrolling();
	set_modes();
	if (with_colors)
		start_colors();
	return 0;
}

int screen_open(bool with_colors, struct strbuf *reterr)
{
	struct sigaction before;
	int r;

	guard_begin(&before);
	r = open_screen(with_colors, reterr);
	guard_end(&before);
	return r;
}

bool screen_is_ours(void)
{
	pid_t group = tcgetpgrp(STDIN_FILENO);

	/* A terminal that is not the controlling one has no foreground. */
	return group < 0 || group == getpgrp();
}

void screen_leave(void)
{
	struct sigaction before;

	if (!terminal || is_left)
		return;
	/* In the background the modes are those of a shell by now, and to set them would stop the process. */
	if (screen_is_ours()) {
		guard_begin(&before);
		/* The text stays on terminals that have no other page. */
		move(getmaxy(stdscr) - 1, 0);
		clrtoeol();
		refresh();
		curs_set(1);
		endwin();
		guard_end(&before);
	}
	is_left = true;
}

void screen_enter(void)
{
	struct sigaction before;

	if (!terminal || !is_left || !screen_is_ours())
		return;
	is_left = false;
	guard_begin(&before);
	reset_prog_mode();
	curs_set(0);
	guard_end(&before);
	screen_show(true);
}

void screen_close(void)
{
	struct sigaction before;

	screen_leave();
	if (!terminal)
		return;
	guard_begin(&before);
	delscreen(terminal);
	guard_end(&before);
	terminal = NULL;
}

bool screen_is_ascii(void)
{
	return is_ascii;
}

void screen_resize(size_t *ret_rows, size_t *ret_columns)
{
	struct sigaction before;
	struct winsize size;

	guard_begin(&before);
	if (find_size(&size) && is_term_resized(size.ws_row, size.ws_col))
		(void)resizeterm(size.ws_row, size.ws_col);
	guard_end(&before);
	*ret_rows = (size_t)getmaxy(stdscr);
	*ret_columns = (size_t)getmaxx(stdscr);
}

/* Reads "ESC [ 1 ; 33 m" into attributes. Returns its bytes, or 0 if it is something else. */
static size_t read_attributes(const char *text, size_t len, attr_t *look)
{
	attr_t made = *look;
	size_t at = 2;
	int number = 0;

	if (len < at || text[0] != ESCAPE || text[1] != '[')
		return 0;
	for (; at < len; at++) {
		if (text[at] >= '0' && text[at] <= '9' && number <= SGR_WHITE) {
			number = 10 * number + (text[at] - '0');
			continue;
		}
		if (number == 0)
			made = A_NORMAL;
		else if (number == 1)
			made |= A_BOLD;
		else if (number >= SGR_RED && number <= SGR_WHITE && has_pairs)
			made |= (attr_t)COLOR_PAIR(PAIR_OF_RED + number - SGR_RED);
		number = 0;
		if (text[at] == 'm') {
			*look = made;
			return at + 1;
		}
		if (text[at] != ';')
			return 0;
	}
	return 0;
}

/* Returns the bytes of the first character, and the columns that it takes; 0 columns and an odd number of bytes never become
 * control characters of the terminal. */
static size_t next_character(const char *text, size_t len, size_t *ret_width)
{
	mbstate_t state = {0};
	wchar_t wide;
	size_t bytes = mbrtowc(&wide, text, len, &state);
	int width;

	*ret_width = 1;
	if (bytes == 0 || bytes > len)
		return 0;
	width = wcwidth(wide);
	if (width < 0)
		return 0;
	*ret_width = (size_t)width;
	return bytes;
}

void screen_put(size_t row, const char *text, size_t len, bool bar)
{
	size_t end = (size_t)getmaxx(stdscr), column = 0, at = 0;
	attr_t look = A_NORMAL;

	if (row >= (size_t)getmaxy(stdscr))
		return;
	move((int)row, 0);
	while (at < len) {
		size_t escape = read_attributes(text + at, len - at, &look), width, bytes;

		at += escape;
		if (escape > 0)
			continue;
		bytes = next_character(text + at, len - at, &width);
		if (column + width > end)
			break;
		attrset((int)(bar ? A_REVERSE : look));
		addnstr(bytes > 0 ? text + at : "?", bytes > 0 ? (int)bytes : 1);
		at += bytes > 0 ? bytes : 1;
		column += width;
	}
	attrset((int)(bar ? A_REVERSE : A_NORMAL));
	/* The last cell of the last row is written, too; ncurses does that without scrolling. */
	for (; column < end; column++)
		addch(' ');
	attrset(A_NORMAL);
}

void screen_show(bool all)
{
	struct sigaction before;

	guard_begin(&before);
	if (all)
		clearok(curscr, TRUE);
	refresh();
	guard_end(&before);
}

int screen_key(void)
{
	static const struct {
		int theirs, ours;
	} keys[] = {
	        {KEY_UP, SCREEN_UP},     {KEY_DOWN, SCREEN_DOWN},
	        {KEY_LEFT, SCREEN_LEFT}, {KEY_RIGHT, SCREEN_RIGHT},
	        {KEY_HOME, SCREEN_HOME}, {KEY_PPAGE, SCREEN_PAGE_UP},
	        {KEY_END, SCREEN_END},   {KEY_NPAGE, SCREEN_PAGE_DOWN},
	        {KEY_F(1), SCREEN_HELP},
	};
	int key = getch();

	if (key == ERR)
		return SCREEN_NO_KEY;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].theirs == key)
			return keys[i].ours;
	return key > 0 && key < 0x80 ? key : SCREEN_OTHER;
}
