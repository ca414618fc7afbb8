// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "trigger/trigger.h"

/* A trigger whose pressure file is one in memory. */
static struct trigger trigger = {.fd = -1};

static int setup(void **state)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;

	(void)state;
	assert_int_equal(trigger_parse("psi io full 1900ms/2s", &trigger, &error), 0);
	trigger.fd = memfd_create("pressure", MFD_CLOEXEC);
	assert_true(trigger.fd >= 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	trigger_done(&trigger);
	return 0;
}

static void write_total(unsigned full_usec)
{
	char text[256];
	int len = snprintf(text, sizeof(text),
	                   "some avg10=0.00 avg60=0.00 avg300=0.00 total=90000000\n"
	                   "full avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n",
	                   full_usec);

	assert_int_equal(ftruncate(trigger.fd, 0), 0);
	assert_int_equal(pwrite(trigger.fd, text, (size_t)len, 0), len);
}

static enum trigger_state judge(short events, unsigned second)
{
	return trigger_judge_events(&trigger, events, second * NS_PER_SECOND);
}

/* The kernel wakes those who have a new trigger twice, at any pressure. */
static void test_woken_falsely(void **state)
{
	(void)state;
	write_total(7000000);
	trigger_note_pressure(&trigger, 10 * NS_PER_SECOND);
	assert_int_equal(judge(POLLPRI, 11), TRIGGER_QUIET);
	write_total(7000142);
	assert_int_equal(judge(POLLPRI, 15), TRIGGER_QUIET);
	assert_int_equal(judge(0, 16), TRIGGER_QUIET);
	write_total(7000142 + 1900000);
	assert_int_equal(judge(0, 17), TRIGGER_QUIET);
	assert_int_equal(judge(POLLPRI, 17), TRIGGER_FIRED);
}

/* A pressure that cannot be read is the kernel's word alone. */
static void test_not_read(void **state)
{
	(void)state;
	assert_int_equal(judge(POLLPRI, 11), TRIGGER_FIRED);
	assert_int_equal(judge(POLLERR | POLLPRI, 12), TRIGGER_GONE);
	assert_int_equal(trigger.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_woken_falsely, setup, teardown),
	        cmocka_unit_test_setup_teardown(test_not_read, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
