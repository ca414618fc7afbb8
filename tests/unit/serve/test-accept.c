// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "serve/accept.h"

static void nobody_asks(void **state)
{
	(void)state;
	assert_false(accept_is_openmetrics(NULL));
	assert_false(accept_is_openmetrics(""));
	assert_false(accept_is_openmetrics("*/*"));
	assert_false(accept_is_openmetrics("application/*"));
	assert_false(accept_is_openmetrics("text/plain"));
	assert_false(accept_is_openmetrics("application/openmetrics-textual"));
	assert_false(accept_is_openmetrics("text/plain;x=\"application/openmetrics-text\""));
	assert_false(accept_is_openmetrics("text/plain;x=\",application/openmetrics-text,\""));
}

static void prometheus_asks(void **state)
{
	(void)state;
	/* Prometheus 2.5, 2.42 and 3.0 send these. */
	assert_true(accept_is_openmetrics("application/openmetrics-text; version=0.0.1,"
	                                  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	assert_true(accept_is_openmetrics(
	        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
	        "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	assert_true(accept_is_openmetrics(
	        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
	        "application/openmetrics-text;version=0.0.1;q=0.5,"
	        "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
	        "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
}

static void weights_decide(void **state)
{
	(void)state;
	assert_true(accept_is_openmetrics("text/plain,application/openmetrics-text"));
	assert_true(accept_is_openmetrics("Application/OpenMetrics-Text ; Version=1.0.0"));
	assert_true(accept_is_openmetrics(
	        " , application/openmetrics-text;q=0.501 ,\ttext/plain;q=0.5"));
	assert_false(accept_is_openmetrics("application/openmetrics-text;q=0.499,text/plain;q=.5,"
	                                   "text/plain;q=0.5"));
	assert_false(accept_is_openmetrics("application/openmetrics-text;q=0"));
	assert_false(accept_is_openmetrics("application/openmetrics-text;q=0.000"));
	assert_false(accept_is_openmetrics("application/openmetrics-text;q=2"));
	assert_false(accept_is_openmetrics("application/openmetrics-text;q=x"));
	assert_false(accept_is_openmetrics("application/openmetrics-text;q="));
	assert_false(accept_is_openmetrics("application/openmetrics-text;version=2.0.0"));
	assert_true(accept_is_openmetrics("application/openmetrics-text;version=\"1.0.0\""));
	/* A version that is not served has no weight. */
	assert_true(accept_is_openmetrics("application/openmetrics-text;q=0.1,"
	                                  "text/plain;version=1.0.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nobody_asks),
	        cmocka_unit_test(prometheus_asks),
	        cmocka_unit_test(weights_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
