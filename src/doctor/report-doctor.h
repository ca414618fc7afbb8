/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-doctor - prints the verdict of doctor, as a table or as JSON. */
#include <stdio.h>

#include "base/table.h"
#include "doctor/doctor.h"

/* The outcome for one switch of --enable. */
enum toggle_result {
	TOGGLE_NOT_ASKED,
	TOGGLE_SET,
	TOGGLE_WAS_ON,
	TOGGLE_NONE, /* the kernel has no such switch */
	TOGGLE_FAILED,
};

struct report_doctor {
	const struct doctor_findings *findings;
	const struct doctor_verdict *verdict;
	enum toggle_result toggles[DOCTOR_TOGGLE_COUNT];
	char old_values[DOCTOR_TOGGLE_COUNT][24]; /* of those that were set */
	struct table_style style;
};

/* Prints a line for each family, and below them each fix once. */
void report_doctor(FILE *file, const struct report_doctor *report);
void report_doctor_json(FILE *file, const struct report_doctor *report);
