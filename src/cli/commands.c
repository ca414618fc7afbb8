// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"

const struct command *const command_table[] = {
        &command_capture, &command_show, &command_compare, &command_window, &command_metric_list,
        &command_doctor,  NULL,
};
_Static_assert(ARRAY_SIZE(command_table) <= COMMANDS_MAX + 1, "COMMANDS_MAX is too small");
