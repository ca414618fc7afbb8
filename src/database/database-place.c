// SPDX-License-Identifier: GPL-2.0-or-later
#include "database-place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/output-place.h"
#include "base/trust.h"

static void add_shared(const struct output_place *place, struct strbuf *out)
{
	strbuf_add_str(out, "other users may write its directory, which has the journal");
	trust_add_reason(place->dir_fd, &place->dir, out);
}

static int check_place(const struct output_place *place, enum database_use use,
                       struct strbuf *reterr)
{
	if (place->descriptor >= 0)
		strbuf_add_str(reterr, "a database has a name in a directory");
	else if (trust_others_may_add(place->dir_fd, &place->dir))
		add_shared(place, reterr);
	else if (place->target_fd < 0 && use == DATABASE_READ)
		strbuf_add_str(reterr, strerror(ENOENT));
	else if (place->target_fd >= 0 && !S_ISREG(place->target.st_mode))
		strbuf_add_str(reterr, "it is no regular file");
	else if (place->target_fd >= 0 && !trust_user(place->target.st_uid))
		strbuf_add_str(reterr, "it belongs to another user");
	else
		return 0;
	return -EPERM;
}

int database_find_place(const char *path, enum database_use use, struct strbuf *ret_path,
                        struct strbuf *reterr)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	int r = output_place_find(&place, AT_FDCWD, path, reterr);

	if (r == 0)
		r = check_place(&place, use, reterr);
	if (r == 0)
		r = trust_check_directory(place.dir_fd, reterr);
	if (r < 0 && reterr->len == 0)
		strbuf_add_str(reterr, strerror(-r));
	if (r < 0)
		return r;
	strbuf_addf(&name, "/proc/self/fd/%d", place.dir_fd);
	r = fd_read_link_at(AT_FDCWD, strbuf_str(&name), ret_path, PATH_MAX);
	if (r < 0) {
		strbuf_add_str(reterr, strerror(-r));
		return r;
	}
	strbuf_addf(ret_path, "%s%s", ret_path->len > 1 ? "/" : "", place.name);
	return 0;
}
