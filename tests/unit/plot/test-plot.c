// SPDX-License-Identifier: GPL-2.0-or-later
/* The pictures as a whole: their size, the texts in them, and that numbers stand where they belong. */
#include "plot/plot.h"

#include <math.h>

#include "base/text.h"
#include "check.h"

struct scene {
	struct series series;
	struct job_info info;
	struct series_record records[3];
	struct plot plot;
};

static void scene_init(struct scene *scene)
{
	*scene = (struct scene){0};
	for (unsigned i = 0; i < 3; i++) {
		scene->records[i].time_ns = i * INT64_C(5000000000);
		for (unsigned k = 0; k < SERIES_COUNT; k++)
			scene->records[i].values[k] = NAN;
		scene->records[i].values[SERIES_cpu] = 50.0 * i;
		scene->records[i].values[SERIES_rss] = 1e6;
	}
	scene->series.records = scene->records;
	scene->series.count = 3;
	job_info_set_text(&scene->info, "command", "a <b> & \"c\" \x1b[31m");
	job_info_set_number(&scene->info, "cpu_total", 2, true);
	scene->plot = (struct plot){.series = &scene->series,
	                            .info = &scene->info,
	                            .name = "x<y",
	                            .width = 60,
	                            .height = 20};
	plot_show_default(scene->plot.shown);
}

static void scene_done(struct scene *scene)
{
	job_info_done(&scene->info);
}

static size_t count_lines(const struct strbuf *text, size_t *ret_widest)
{
	size_t lines = 0, begin = 0;

	*ret_widest = 0;
	for (size_t i = 0; i < text->len; i++) {
		size_t width;

		if (text->data[i] != '\n')
			continue;
		width = text_width(text->data + begin, i - begin);
		*ret_widest = width > *ret_widest ? width : *ret_widest;
		begin = i + 1;
		lines++;
	}
	return lines;
}

static void test_size(void **state)
{
	(void)state;
	for (unsigned width = 40; width < 200; width += 13)
		for (unsigned height = 10; height < 60; height += 7) {
			cleanup_(scene_done) struct scene scene;
			cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
			size_t widest;

			scene_init(&scene);
			scene.plot.width = width;
			scene.plot.height = height;
			scene.plot.ascii = height % 2 == 0;
			plot_text(&scene.plot, &text);
			assert_true(count_lines(&text, &widest) <= height);
			assert_true(widest <= width);
		}
}

static void test_text(void **state)
{
	cleanup_(scene_done) struct scene scene;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	scene_init(&scene);
	scene.plot.ascii = true;
	scene.plot.height = 12;
	plot_text(&scene.plot, &text);
	assert_contains(strbuf_str(&text), "a <b> & \"c\" \\x1b[31m\n");
	assert_contains(strbuf_str(&text), "3 records over 10.0 s; x<y\n");
	assert_contains(strbuf_str(&text), "CPU  .' sum, max 100.0 %  host: 2 CPUs\n");
	assert_contains(strbuf_str(&text), "   100 %|");
	assert_contains(strbuf_str(&text), "memory  .' RSS, max 1.0 MB\n");
	/* Series without a value are not there. */
	assert_null(strstr(strbuf_str(&text), "PSS"));
	assert_null(strstr(strbuf_str(&text), "tasks"));
	assert_null(strchr(strbuf_str(&text), '\x1b'));
}

/* Nothing is drawn where a value is missing. */
static void test_gap(void **state)
{
	cleanup_(scene_done) struct scene scene;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, csv = STRBUF_INIT,
	                                    svg = STRBUF_INIT;

	(void)state;
	scene_init(&scene);
	memset(scene.plot.shown, 0, sizeof(scene.plot.shown));
	scene.plot.shown[SERIES_cpu] = true;
	scene.records[0].values[SERIES_cpu] = 100;
	scene.records[1].values[SERIES_cpu] = NAN;
	scene.plot.ascii = true;
	scene.plot.width = 40;
	scene.plot.height = 10;
	plot_text(&scene.plot, &text);
	/* 31 columns: a dot at the begin, and the second half. */
	assert_contains(strbuf_str(&text), "100 %|'              ''''''''''''''''\n");
	plot_csv(&scene.plot, &csv);
	assert_text(&csv, "elapsed_s,cpu\n0.0,100.0\n5.0,\n10.0,100.0\n");
	plot_svg(&scene.plot, &svg);
	assert_null(strstr(strbuf_str(&svg), "nan"));
}

static void test_svg(void **state)
{
	cleanup_(scene_done) struct scene scene;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	scene_init(&scene);
	scene.plot.width = 900;
	scene.plot.height = 0;
	plot_svg(&scene.plot, &text);
	assert_contains(strbuf_str(&text),
	                "<title>a &lt;b&gt; &amp; &quot;c&quot; \\x1b[31m</title>");
	assert_contains(strbuf_str(&text), "; x&lt;y</text>");
	assert_contains(strbuf_str(&text), "width=\"900\" height=\"426\"");
	/* The last record of the CPU is at the right border, and as high as its axis. */
	assert_contains(strbuf_str(&text), "M76.0 212.0H76.0L76.0 144.0H478.0L478.0 76.0H880.0");
	assert_null(strstr(strbuf_str(&text), "href"));
}

/* More records than a picture has places are merged by their maxima; the peak of each is there still. */
static void test_many(void **state)
{
	enum { MANY = 50000 };
	cleanup_(scene_done) struct scene scene;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct series_record *records = calloc(MANY, sizeof(records[0]));

	(void)state;
	assert_non_null(records);
	scene_init(&scene);
	for (unsigned i = 0; i < MANY; i++) {
		records[i] = scene.records[0];
		records[i].time_ns = i * INT64_C(1000000000);
	}
	records[31234].values[SERIES_cpu] = 75;
	scene.series.records = records;
	scene.series.count = MANY;
	scene.plot.width = 900;
	plot_svg(&scene.plot, &text);
	assert_contains(strbuf_str(&text), "sum, max 75.0 %");
	assert_true(text.len < 500000);
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_size), cmocka_unit_test(test_text),
	        cmocka_unit_test(test_gap),  cmocka_unit_test(test_svg),
	        cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
