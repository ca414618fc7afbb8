// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording-status.h"

#include <sys/statvfs.h>

#include "base/clock.h"
#include "recording/recording-directory.h"

int recording_status_read(int dir_fd, const struct snapshot_limits *limits,
                          struct recording_status *ret, struct strbuf *reterr)
{
	struct statvfs system;
	int r;

	if (fstatvfs(dir_fd, &system) == 0)
		ret->free_bytes = (uint64_t)system.f_bavail * system.f_frsize;
	r = recording_lock_owner(dir_fd, &ret->recorder);
	return r < 0 ? r : recording_survey_read(dir_fd, limits, &ret->survey, reterr);
}

double recording_status_byte_rate(const struct recording_status *status)
{
	const struct recording_survey *survey = &status->survey;
	const struct recording_hour *last =
	        survey->hour_count > 0 ? &survey->hours[survey->hour_count - 1] : NULL;

	return last && last->length_ns > 0
	               ? (double)last->bytes / (double)last->length_ns * (double)NS_PER_SECOND
	               : 0;
}

void recording_status_done(struct recording_status *status)
{
	recording_survey_done(&status->survey);
}
