// SPDX-License-Identifier: GPL-2.0-or-later
#include "jemalloc-symbols.h"

#include <string.h>

/* The prefix that jemalloc's configuration puts before its own names, behind the configured one. */
#define PRIVATE_PREFIX "je_"

/* Returns the length of a name without a version, and without the suffix of link-time optimisation. */
static size_t plain_length(const char *name)
{
	size_t len = strcspn(name, "@");
	const char *addition = memmem(name, len, ".lto_priv", strlen(".lto_priv"));

	return addition ? (size_t)(addition - name) : len;
}

/* Returns whether the name ends in @end behind a prefix that is not too long. */
static bool split_prefix(const char *name, size_t len, const char *end,
                         char prefix[JEMALLOC_PREFIX_LEN_MAX + 1])
{
	size_t end_len = strlen(end);

	if (len < end_len || len - end_len > JEMALLOC_PREFIX_LEN_MAX ||
	    memcmp(name + len - end_len, end, end_len) != 0)
		return false;
	memcpy(prefix, name, len - end_len);
	prefix[len - end_len] = '\0';
	return true;
}

static bool prefixes_have(const struct jemalloc_prefixes *prefixes, const char *prefix)
{
	for (size_t i = 0; i < prefixes->count; i++)
		if (strcmp(prefixes->text[i], prefix) == 0)
			return true;
	return false;
}

static void prefixes_add(struct jemalloc_prefixes *prefixes, const char *prefix)
{
	if (prefixes->count < JEMALLOC_PREFIXES_MAX && !prefixes_have(prefixes, prefix))
		strcpy(prefixes->text[prefixes->count++], prefix);
}

static void functions_add(struct jemalloc_functions *functions, uint64_t address)
{
	for (size_t i = 0; i < functions->count; i++)
		if (functions->addresses[i] == address)
			return;
	if (functions->count < JEMALLOC_FUNCTIONS_MAX)
		functions->addresses[functions->count++] = address;
}

static void add_function(struct jemalloc_symbols *symbols, const char *name, size_t len,
                         uint64_t address)
{
	char prefix[JEMALLOC_PREFIX_LEN_MAX + 1];

	if (split_prefix(name, len, "mallctl", prefix))
		prefixes_add(&symbols->by_name, prefix);
	else if (split_prefix(name, len, "mallctlbymib", prefix))
		prefixes_add(&symbols->by_mib, prefix);
	else if (len == strlen("thread_allocatedp_ctl") &&
	         memcmp(name, "thread_allocatedp_ctl", len) == 0)
		functions_add(&symbols->allocatedp, address);
	else if (len == strlen("thread_deallocatedp_ctl") &&
	         memcmp(name, "thread_deallocatedp_ctl", len) == 0)
		functions_add(&symbols->deallocatedp, address);
}

static void add_variable(struct jemalloc_symbols *symbols, const char *name, size_t len,
                         const Elf64_Sym *symbol)
{
	struct jemalloc_variable variable = {.offset = symbol->st_value, .size = symbol->st_size};
	size_t before;

	if (!split_prefix(name, len, "tsd_tls", variable.prefix))
		return;
	before = strlen(variable.prefix);
	if (before > 0 && variable.prefix[before - 1] != '_')
		return;
	for (size_t i = 0; i < symbols->variable_count; i++)
		if (symbols->variables[i].offset == variable.offset &&
		    strcmp(symbols->variables[i].prefix, variable.prefix) == 0)
			return;
	if (symbols->variable_count < JEMALLOC_VARIABLES_MAX)
		symbols->variables[symbols->variable_count++] = variable;
}

static void take(void *context, const char *name, const Elf64_Sym *symbol)
{
	struct jemalloc_symbols *symbols = context;

	if (symbol->st_shndx == SHN_UNDEF)
		return;
	switch (ELF64_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		add_function(symbols, name, plain_length(name), symbol->st_value);
		break;
	case STT_TLS:
		add_variable(symbols, name, plain_length(name), symbol);
		break;
	}
}

void jemalloc_symbols_add(struct jemalloc_symbols *symbols, const struct elf_file *file)
{
	if (elf_file_each_symbol(file, SHT_SYMTAB, take, symbols))
		symbols->has_table = true;
	(void)elf_file_each_symbol(file, SHT_DYNSYM, take, symbols);
}

bool jemalloc_symbols_are_found(const struct jemalloc_symbols *symbols)
{
	for (size_t i = 0; i < symbols->by_name.count; i++)
		if (prefixes_have(&symbols->by_mib, symbols->by_name.text[i]))
			return true;
	/* Link-time optimisation leaves out what a program does not call. */
	return symbols->variable_count > 0 && symbols->allocatedp.count > 0 &&
	       symbols->deallocatedp.count > 0;
}

/* The prefix of a variable tells how likely it is jemalloc's. */
enum likeness {
	LIKENESS_PRIVATE, /* jemalloc's own "je_", behind nothing or the public prefix of one that is here */
	LIKENESS_PUBLIC,
	LIKENESS_NONE,
};

bool jemalloc_variable_is_private(const struct jemalloc_variable *variable)
{
	size_t len = strlen(variable->prefix);

	return len >= strlen(PRIVATE_PREFIX) &&
	       strcmp(variable->prefix + len - strlen(PRIVATE_PREFIX), PRIVATE_PREFIX) == 0;
}

static enum likeness likeness_of(const struct jemalloc_symbols *symbols, const char *prefix)
{
	enum likeness likeness = LIKENESS_NONE;

	if (strcmp(prefix, PRIVATE_PREFIX) == 0)
		return LIKENESS_PRIVATE;
	for (size_t i = 0; i < symbols->by_name.count; i++) {
		const char *public = symbols->by_name.text[i];
		size_t len = strlen(public);

		if (!prefixes_have(&symbols->by_mib, public) || strncmp(prefix, public, len) != 0)
			continue;
		if (strcmp(prefix + len, PRIVATE_PREFIX) == 0)
			return LIKENESS_PRIVATE;
		if (prefix[len] == '\0')
			likeness = LIKENESS_PUBLIC;
	}
	return likeness;
}

const struct jemalloc_variable *jemalloc_symbols_variable(const struct jemalloc_symbols *symbols)
{
	const struct jemalloc_variable *found = NULL;
	enum likeness best = LIKENESS_NONE;
	bool is_unique = true;

	for (size_t i = 0; i < symbols->variable_count; i++) {
		const struct jemalloc_variable *variable = &symbols->variables[i];
		enum likeness likeness = likeness_of(symbols, variable->prefix);

		if (found && likeness > best)
			continue;
		is_unique = !found || likeness < best ||
		            (is_unique && found->offset == variable->offset);
		found = variable;
		best = likeness;
	}
	return is_unique ? found : NULL;
}
