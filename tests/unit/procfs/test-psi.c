// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <stdio.h>

#include "procfs/procfs.h"
#include "temp-tree.h"

static const char whole[] = "some avg10=10.16 avg60=9.11 avg300=3.54 total=24609896\n"
                            "full avg10=0.08 avg60=0.16 avg300=100.00 total=4477846\n";

static enum source_outcome parse_bytes(const char *text, size_t len, struct psi_line *lines)
{
	char *copy = exact_copy(text, len);
	enum source_outcome outcome;

	memset(lines, 0, sizeof(*lines) * PSI_ROW_COUNT);
	outcome = psi_parse(copy, len, lines);
	free(copy);
	return outcome;
}

static enum source_outcome parse(const char *text, struct psi_line *lines)
{
	return parse_bytes(text, strlen(text), lines);
}

static void assert_line(const struct psi_line *line, uint32_t avg10, uint32_t avg60,
                        uint32_t avg300, uint64_t total_usec)
{
	assert_true(line->seen);
	assert_int_equal(line->averages[PSI_AVERAGE_avg10], avg10);
	assert_int_equal(line->averages[PSI_AVERAGE_avg60], avg60);
	assert_int_equal(line->averages[PSI_AVERAGE_avg300], avg300);
	assert_int_equal(line->total_usec, total_usec);
}

static void test_psi_whole(void **state)
{
	struct psi_line lines[PSI_ROW_COUNT];

	(void)state;
	assert_int_equal(parse(whole, lines), OUTCOME_read);
	assert_line(&lines[PSI_ROW_some], 1016, 911, 354, 24609896);
	assert_line(&lines[PSI_ROW_full], 8, 16, 10000, 4477846);
}

/* Before Linux 5.13 cpu has no full, and irq never has some. */
static void test_psi_one_line(void **state)
{
	struct psi_line lines[PSI_ROW_COUNT];

	(void)state;
	assert_int_equal(parse("some avg10=0.00 avg60=1.00 avg300=2.50 total=7\n", lines),
	                 OUTCOME_read);
	assert_line(&lines[PSI_ROW_some], 0, 100, 250, 7);
	assert_false(lines[PSI_ROW_full].seen);
	assert_int_equal(parse("full avg10=0.00 avg60=1.00 avg300=2.50 total=7", lines),
	                 OUTCOME_read);
	assert_line(&lines[PSI_ROW_full], 0, 100, 250, 7);
	assert_false(lines[PSI_ROW_some].seen);
}

/* Cut anywhere, a line is there with what the kernel wrote, or it is not there; a number at the very end may be
 * shorter. */
static void test_psi_cut(void **state)
{
	size_t first = (size_t)(strchr(whole, '\n') - whole);
	const char *total = strstr(whole, "total=") + strlen("total=");
	const char *last_total = strstr(total, "total=") + strlen("total=");

	(void)state;
	for (size_t len = 0; len < strlen(whole); len++) {
		struct psi_line lines[PSI_ROW_COUNT];
		enum source_outcome outcome = parse_bytes(whole, len, lines);
		bool some = whole + len > total, full = whole + len > last_total;

		assert_int_equal(outcome, some ? OUTCOME_read : OUTCOME_malformed);
		assert_int_equal(lines[PSI_ROW_some].seen, some);
		assert_int_equal(lines[PSI_ROW_full].seen, full);
		if (len >= first)
			assert_line(&lines[PSI_ROW_some], 1016, 911, 354, 24609896);
	}
}

static void check_average(const char *text, bool good, uint32_t hundredths)
{
	struct psi_line lines[PSI_ROW_COUNT];
	char file[256];

	snprintf(file, sizeof(file), "some avg10=%s avg60=0.00 avg300=0.00 total=1\n%s", text,
	         "full avg10=1.00 avg60=1.00 avg300=1.00 total=2\n");
	assert_int_equal(parse(file, lines), OUTCOME_read);
	assert_int_equal(lines[PSI_ROW_some].seen, good);
	assert_int_equal(lines[PSI_ROW_some].averages[PSI_AVERAGE_avg10], good ? hundredths : 0);
	assert_line(&lines[PSI_ROW_full], 100, 100, 100, 2);
}

/* A line that makes no sense does not take the other one with it. */
static void test_psi_averages(void **state)
{
	static const char *const bad[] = {"",      "1",     ".",          ".5",       "5.",
	                                  "-1.00", "1.-1",  "1e1",        "1.0x",     "100.01",
	                                  "nan",   "1,00",  "101.00",     "100.0001", "1.1.1",
	                                  "+1.00", "0x1.0", "999999999.9"};

	(void)state;
	check_average("0.12", true, 12);
	check_average("0.1", true, 10);
	check_average("0.129", true, 12);
	check_average("0.00999999999", true, 0);
	check_average("99.99", true, 9999);
	check_average("100.00", true, 10000);
	check_average("007.50", true, 750);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_average(bad[i], false, 0);
}

static void test_psi_totals(void **state)
{
	struct psi_line lines[PSI_ROW_COUNT];

	(void)state;
	assert_int_equal(parse("some avg10=0.00 avg60=0.00 avg300=0.00 "
	                       "total=18446744073709551615\n",
	                       lines),
	                 OUTCOME_read);
	assert_line(&lines[PSI_ROW_some], 0, 0, 0, UINT64_MAX);
	assert_int_equal(parse("some avg10=0.00 avg60=0.00 avg300=0.00 "
	                       "total=18446744073709551616\n",
	                       lines),
	                 OUTCOME_malformed);
}

/* Lines that a later kernel may add are skipped; those that it leaves out are missed. */
static void test_psi_other_words(void **state)
{
	struct psi_line lines[PSI_ROW_COUNT];

	(void)state;
	assert_int_equal(parse("most avg10=9.00\n\nfull  avg600=x total=5\tavg300=0.03 word "
	                       "avg60=0.02 avg10=0.01 = =1\n",
	                       lines),
	                 OUTCOME_read);
	assert_line(&lines[PSI_ROW_full], 1, 2, 3, 5);
	assert_int_equal(parse("some avg10=0.00 avg60=0.00 total=1\n", lines), OUTCOME_malformed);
	assert_int_equal(parse("some\nfull\n", lines), OUTCOME_malformed);
	assert_int_equal(parse("somefull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n", lines),
	                 OUTCOME_malformed);
	assert_false(lines[PSI_ROW_some].seen || lines[PSI_ROW_full].seen);
}

static void test_psi_host(void **state)
{
	static const char irq[] = "full avg10=0.01 avg60=0.02 avg300=0.03 total=4\n";
	const struct temp_tree *tree = *state;
	struct psi psi;

	memset(&psi, 1, sizeof(psi));
	psi_read_host(tree->fd, &psi);
	assert_false(psi_seen(&psi));
	psi_read_host(-1, &psi);
	assert_false(psi_seen(&psi));

	temp_tree_write_text(tree, "pressure/cpu", whole);
	temp_tree_write_text(tree, "pressure/irq", irq);
	temp_tree_write_text(tree, "pressure/io", "senseless\n");
	psi_read_host(tree->fd, &psi);
	assert_line(&psi.lines[PSI_cpu][PSI_ROW_some], 1016, 911, 354, 24609896);
	assert_line(&psi.lines[PSI_cpu][PSI_ROW_full], 8, 16, 10000, 4477846);
	assert_line(&psi.lines[PSI_irq][PSI_ROW_full], 1, 2, 3, 4);
	assert_false(psi.lines[PSI_irq][PSI_ROW_some].seen);
	assert_false(psi.lines[PSI_io][PSI_ROW_some].seen);
	assert_false(psi.lines[PSI_memory][PSI_ROW_some].seen);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_psi_whole),
	        cmocka_unit_test(test_psi_one_line),
	        cmocka_unit_test(test_psi_cut),
	        cmocka_unit_test(test_psi_averages),
	        cmocka_unit_test(test_psi_totals),
	        cmocka_unit_test(test_psi_other_words),
	        in_tree(test_psi_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
