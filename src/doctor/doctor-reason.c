// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor-reason.h"

#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"

void reason_set(struct doctor_line *line, enum doctor_state state, const char *format, ...)
{
	va_list args;

	line->state = state;
	strbuf_clear(&line->reason);
	va_start(args, format);
	strbuf_vaddf(&line->reason, format, args);
	va_end(args);
}

void reason_fix(struct doctor_line *line, enum doctor_fix kind, const char *format, ...)
{
	va_list args;

	line->fix_kind = kind;
	strbuf_clear(&line->fix);
	va_start(args, format);
	strbuf_vaddf(&line->fix, format, args);
	va_end(args);
}

static bool option_is(const struct doctor_findings *findings, const char *option, bool on)
{
	const char *value = host_map_get(&findings->host, HOST_kernel_config, option);

	return value && (strcmp(value, "n") == 0) != on;
}

bool reason_option_is_off(const struct doctor_findings *findings, const char *option)
{
	return option_is(findings, option, false);
}

bool reason_option_is_on(const struct doctor_findings *findings, const char *option)
{
	return option_is(findings, option, true);
}

bool reason_has_capability(const struct doctor_findings *findings, unsigned capability)
{
	return (findings->effective >> capability) & 1;
}

bool reason_no_proc(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->has_proc)
		return false;
	if (reason_foreign_proc(findings, DOCTOR_NOT, line))
		return true;
	reason_set(line, DOCTOR_NOT, "no /proc is mounted here");
	reason_fix(line, DOCTOR_FIX_COMMAND, "sudo mount -t proc proc /proc");
	return true;
}

bool reason_no_sys(const struct doctor_findings *findings, struct doctor_line *line)
{
	if (findings->has_sys)
		return false;
	reason_set(line, DOCTOR_NOT, "no /sys is mounted here");
	reason_fix(line, DOCTOR_FIX_COMMAND, "sudo mount -t sysfs sysfs /sys");
	return true;
}

bool reason_foreign_proc(const struct doctor_findings *findings, enum doctor_state state,
                         struct doctor_line *line)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	if (!findings->proc_is_foreign)
		return false;
	reason_add_program(findings, &path);
	reason_set(line, state, "/proc is of another pid namespace");
	/* The advice is not to mount: without a mount namespace of its own, that would hide everybody's /proc. */
	reason_fix(line, DOCTOR_FIX_ADVICE,
	           "run ctprof in the pid namespace of /proc, or, for this one's processes only, "
	           "sudo unshare --mount-proc %s",
	           strbuf_str(&path));
	return true;
}

bool reason_is_older(const struct doctor_findings *findings, unsigned major, unsigned minor)
{
	const char *release = host_text(&findings->host, HOST_kernel_release);
	unsigned long here_major, here_minor;
	char *end;

	if (!release || release[0] < '0' || release[0] > '9')
		return false;
	here_major = strtoul(release, &end, 10);
	if (*end != '.')
		return false;
	here_minor = strtoul(end + 1, NULL, 10);
	return here_major < major || (here_major == major && here_minor < minor);
}

bool reason_kernel(const struct doctor_findings *findings, enum doctor_family family,
                   struct doctor_line *line)
{
	const struct doctor_family_desc *desc = &doctor_family_table[family];
	struct span rest = {desc->options, strlen(desc->options)}, word;
	char option[64];

	if (reason_is_older(findings, desc->since_major, desc->since_minor)) {
		reason_set(line, DOCTOR_NOT, "needs Linux %u.%u or newer", desc->since_major,
		           desc->since_minor);
		reason_fix(line, DOCTOR_FIX_KERNEL, "another kernel, %u.%u or newer",
		           desc->since_major, desc->since_minor);
		return true;
	}
	while (scan_word(&rest, &word)) {
		if (word.len >= sizeof(option))
			continue;
		memcpy(option, word.text, word.len);
		option[word.len] = '\0';
		if (!reason_option_is_off(findings, option))
			continue;
		reason_set(line, DOCTOR_NOT, "the kernel was built without CONFIG_%s", option);
		reason_fix(line, DOCTOR_FIX_KERNEL, "another kernel, built with CONFIG_%s=y",
		           option);
		return true;
	}
	return false;
}

bool reason_toggle_off(const struct doctor_findings *findings, enum doctor_toggle toggle,
                       struct doctor_line *line)
{
	const struct doctor_toggle_desc *desc = &doctor_toggle_table[toggle];

	if (findings->toggles[toggle] != DOCTOR_SWITCH_OFF)
		return false;
	reason_set(line, DOCTOR_NOT, "the switch %s is off", desc->sysctl);
	reason_fix(line, DOCTOR_FIX_COMMAND, "sudo sysctl %s=1", desc->sysctl);
	return true;
}

bool reason_toggle_unknown(const struct doctor_findings *findings, enum doctor_toggle toggle,
                           enum doctor_state state, struct doctor_line *line)
{
	const struct doctor_toggle_desc *desc = &doctor_toggle_table[toggle];

	if (findings->toggles[toggle] != DOCTOR_SWITCH_ABSENT)
		return false;
	reason_set(line, state, "cannot tell whether %s is on", desc->sysctl);
	reason_fix(line, DOCTOR_FIX_ADVICE, "run ctprof where /proc/%s can be read", desc->file);
	return true;
}

/* Returns this program's name for a command. */
static const char *program_name(const struct doctor_findings *findings)
{
	return findings->executable.len > 0 ? strbuf_str(&findings->executable) : "ctprof";
}

void reason_add_program(const struct doctor_findings *findings, struct strbuf *out)
{
	text_add_shell_word(out, program_name(findings));
}

/* Sets one command for all capabilities that any family needs, because setcap removes those that it does not name.
 * CAP_DAC_READ_SEARCH is with them for io: its mode lets only its owner read it, and CAP_SYS_PTRACE does not change
 * that. */
static void fix_by_setcap(const struct doctor_findings *findings, struct doctor_line *line)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	reason_add_program(findings, &path);
	reason_fix(line, DOCTOR_FIX_COMMAND,
	           "sudo setcap cap_net_admin,cap_sys_ptrace,cap_dac_read_search+ep %s",
	           strbuf_str(&path));
}

void reason_denied(const struct doctor_findings *findings, enum doctor_state state,
                   unsigned capability, const char *name, struct doctor_line *line)
{
	if (findings->in_user_namespace) {
		reason_set(line, state, "in this user namespace; needs %s outside of it", name);
		reason_fix(line, DOCTOR_FIX_ADVICE,
		           "run ctprof in the initial user namespace, with the capabilities above");
	} else if (reason_has_capability(findings, capability)) {
		reason_set(line, state, "denied in spite of %s", name);
	} else if (!((findings->bounding >> capability) & 1)) {
		reason_set(line, state, "needs %s, which the bounding set lacks", name);
		reason_fix(line, DOCTOR_FIX_ADVICE,
		           "start ctprof from where the capability bounding set has %s", name);
	} else if (findings->no_new_privileges) {
		reason_set(line, state, "needs %s, and no_new_privs is set", name);
		reason_fix(line, DOCTOR_FIX_ADVICE,
		           "start ctprof as root, or from where no_new_privs is not set");
	} else if (findings->executable_nosuid) {
		reason_set(line, state, "needs %s, and ctprof lies on a nosuid mount", name);
		reason_fix(
		        line, DOCTOR_FIX_ADVICE,
		        "run ctprof as root, or move it to a mount without nosuid and give it %s",
		        name);
	} else {
		reason_set(line, state, "needs %s", name);
		fix_by_setcap(findings, line);
	}
}
