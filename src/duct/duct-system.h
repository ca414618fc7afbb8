/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-system - the host in info.json. */
#include "duct/duct-json.h"

/* Writes the object of the host, the value of a key "system". */
void duct_system_add(struct duct_json *json);

/* Writes the variables of batch systems in the environment, an object. */
void duct_environment_add(struct duct_json *json);
