// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-template.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/scan.h"
#include "base/text.h"

enum { WIDTH_MAX = 1000, PRECISION_MAX = 30 };

/* A piece of a template. */
struct piece {
	struct span literal; /* printed as it is; of a field it is empty */
	struct job_template_field field;
	bool has_spec;
	char align; /* '<', '>' or 0 */
	unsigned width;
	bool has_precision;
	unsigned precision;
	char type;       /* 0: none */
	char conversion; /* 0: none */
};

static bool scan_digits(const char **at, const char *end, unsigned most, unsigned *ret)
{
	unsigned number = 0;

	while (*at < end && **at >= '0' && **at <= '9') {
		number = number * 10 + (unsigned)(**at - '0');
		if (number > most)
			return false;
		(*at)++;
	}
	*ret = number;
	return true;
}

static bool parse_spec(struct span spec, struct piece *ret)
{
	const char *at = spec.text, *end = spec.text + spec.len;

	if (at < end && (*at == '<' || *at == '>'))
		ret->align = *at++;
	if (!scan_digits(&at, end, WIDTH_MAX, &ret->width))
		return false;
	if (at < end && *at == '.') {
		const char *digits = ++at;

		if (!scan_digits(&at, end, PRECISION_MAX, &ret->precision) || at == digits)
			return false;
		ret->has_precision = true;
	}
	if (at < end && strchr("defgs", *at))
		ret->type = *at++;
	return at == end;
}

static int refuse(struct strbuf *reason, const char *what, struct span field)
{
	strbuf_addf(reason, "%s '", what);
	text_add_escaped(reason, field.text, field.len);
	strbuf_add_char(reason, '\'');
	return -EINVAL;
}

/* @field is what is between the braces. */
static int parse_field(const struct job_template *template, struct span field, struct piece *ret,
                       struct strbuf *reason)
{
	const char *end = field.text + field.len, *colon = memchr(field.text, ':', field.len);
	struct span name = field, spec = {0};

	*ret = (struct piece){0};
	if (field.len >= 2 && end[-2] == '!') {
		ret->conversion = end[-1];
		name.len -= 2;
		end -= 2;
	}
	if (colon && colon < end) {
		spec = (struct span){colon + 1, (size_t)(end - colon - 1)};
		ret->has_spec = true;
		name.len = (size_t)(colon - field.text);
	}
	if (!template->find(template->context, name, &ret->field))
		return refuse(reason, "there is no field", name);
	if (ret->conversion != '\0' && !strchr("SENXPTD", ret->conversion))
		return refuse(reason, "there is no conversion as in", field);
	if (!parse_spec(spec, ret) || (ret->field.is_text && ret->type != '\0' && ret->type != 's'))
		return refuse(reason, "no format that fits the field", field);
	return 0;
}

/* Removes the next piece from the front of @at. Returns 1, 0 at the end, or -EINVAL. */
static int next_piece(const struct job_template *template, const char **at, struct piece *ret,
                      struct strbuf *reason)
{
	size_t len = strcspn(*at, "{}");
	const char *end;
	int r;

	*ret = (struct piece){.literal = {*at, len}};
	if (len > 0) {
		*at += len;
		return 1;
	}
	if (**at == '\0')
		return 0;
	if ((*at)[0] == (*at)[1]) {
		ret->literal.len = 1;
		*at += 2;
		return 1;
	}
	end = **at == '{' ? strchr(*at, '}') : NULL;
	if (!end) {
		strbuf_addf(reason, "a '%c' stands alone", **at);
		return -EINVAL;
	}
	r = parse_field(template, (struct span){*at + 1, (size_t)(end - *at - 1)}, ret, reason);
	*at = end + 1;
	return r < 0 ? r : 1;
}

/* Sizes have decimal units, and one decimal above 999 bytes, which is con-duct's form. */
static void add_size(double number, struct strbuf *out)
{
	static const char *const names[] = {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
	size_t step = 0;

	if (number < 1000) {
		strbuf_addf(out, number == 1 ? "%.0f Byte" : "%.0f Bytes", number);
		return;
	}
	number /= 1000;
	while (number >= 1000 && step + 1 < ARRAY_SIZE(names)) {
		number /= 1000;
		step++;
	}
	strbuf_addf(out, "%.1f %s", number, names[step]);
}

static void add_time(double seconds, struct strbuf *out)
{
	const double minute = 60, hour = 3600;

	if (seconds < minute)
		strbuf_addf(out, "%.2fs", seconds);
	else if (seconds < hour)
		strbuf_addf(out, "%.0fm %.1fs", floor(seconds / minute), fmod(seconds, minute));
	else
		strbuf_addf(out, "%.0fh %.0fm %.1fs", floor(seconds / hour),
		            floor(fmod(seconds, hour) / minute), fmod(seconds, minute));
}

static void add_date(double seconds, struct strbuf *out)
{
	const time_t time = (time_t)seconds;
	struct tm local;
	char text[64];

	if (localtime_r(&time, &local) &&
	    strftime(text, sizeof(text), "%b %d, %Y %I:%M %p", &local) > 0)
		strbuf_add_str(out, text);
}

static void add_converted(const struct piece *piece, double number, struct strbuf *out)
{
	switch (piece->conversion) {
	case 'S':
		add_size(number, out);
		break;
	case 'T':
		add_time(number, out);
		break;
	case 'P':
		strbuf_addf(out, "%.2f%%", number);
		break;
	case 'D':
		add_date(number, out);
		break;
	default:
		job_number_plain(piece->field.unit, number, out);
	}
}

static void add_number(const struct piece *piece, double number, struct strbuf *out)
{
	enum { PRECISION_DEFAULT = 6 };
	int precision = piece->has_precision ? (int)piece->precision : PRECISION_DEFAULT;

	switch (piece->type) {
	case 'd':
		strbuf_addf(out, "%.0f", number);
		break;
	case 'e':
		strbuf_addf(out, "%.*e", precision, number);
		break;
	case 'f':
		strbuf_addf(out, "%.*f", precision, number);
		break;
	case 'g':
		strbuf_addf(out, "%.*g", precision, number);
		break;
	default:
		if (piece->has_precision)
			strbuf_addf(out, "%.*f", precision, number);
		else
			add_converted(piece, number, out);
	}
}

static void pad(struct strbuf *out, size_t width)
{
	for (size_t i = 0; i < width; i++)
		strbuf_add_char(out, ' ');
}

/* con-duct's colours: green for good, red for bad or not known. */
static const char *colour_of(const struct piece *piece)
{
	static const char red[] = "\033[1;31m", green[] = "\033[1;32m";
	const struct job_template_field *field = &piece->field;
	bool is_set = field->is_text ? field->text[0] != '\0' : field->number != 0;

	if (!piece->conversion || (!field->is_known && piece->has_spec))
		return "";
	if (!field->is_known)
		return red;
	switch (piece->conversion) {
	case 'E':
		return is_set ? red : green;
	case 'X':
		return is_set ? green : red;
	case 'S':
	case 'N':
		return green;
	default:
		return "";
	}
}

static void add_field(const struct job_template *template, const struct piece *piece,
                      struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const struct job_template_field *field = &piece->field;
	const char *colour = template->colors ? colour_of(piece) : "";
	size_t width, missing;

	if (!field->is_known)
		strbuf_add_char(&text, '-');
	else if (field->is_text)
		text_add_escaped(&text, field->text, strlen(field->text));
	else
		add_number(piece, field->number, &text);
	width = text_width(strbuf_str(&text), text.len);
	missing = piece->width > width ? piece->width - width : 0;
	/* Numbers are aligned to the right, texts to the left. */
	if (piece->align == '>' || (piece->align == '\0' && !field->is_text)) {
		pad(out, missing);
		missing = 0;
	}
	strbuf_add_str(out, colour);
	strbuf_add(out, strbuf_str(&text), text.len);
	if (colour[0] != '\0')
		strbuf_add_str(out, "\033[0m");
	pad(out, missing);
}

int job_template_check(const struct job_template *template, struct strbuf *reason)
{
	const char *at = template->text;
	struct piece piece;
	int r;

	do
		r = next_piece(template, &at, &piece, reason);
	while (r > 0);
	return r;
}

void job_template_add(const struct job_template *template, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const char *at = template->text;
	struct piece piece;

	while (next_piece(template, &at, &piece, &reason) > 0)
		if (piece.literal.len > 0)
			strbuf_add(out, piece.literal.text, piece.literal.len);
		else
			add_field(template, &piece, out);
}
