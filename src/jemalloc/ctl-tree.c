// SPDX-License-Identifier: GPL-2.0-or-later
/* A string may be the tail of another one, so "allocatedp" is found within "deallocatedp" as well. */
#include "ctl-tree.h"

#include <stdbool.h>
#include <string.h>

enum {
	WORD = sizeof(uint64_t),
	STRINGS_MAX = 64,
	NODES_MAX = 32,
	NODE_BYTES = 5 * WORD,
	SIBLINGS_MAX = 32, /* "thread" has some ten */
};

struct strings {
	size_t count;
	uint64_t addresses[STRINGS_MAX];
};

struct nodes {
	size_t count;
	struct {
		uint64_t address;
		uint64_t function;
	} nodes[NODES_MAX];
};

static void find_in_segment(const struct elf_image *image, size_t index, const char *text,
                            struct strings *strings)
{
	uint64_t len;
	const uint8_t *at = elf_image_segment(image, index, &len), *end = at ? at + len : NULL;

	while (at && strings->count < STRINGS_MAX) {
		at = memmem(at, (size_t)(end - at), text, strlen(text) + 1);
		if (!at)
			return;
		strings->addresses[strings->count++] =
		        image->address + (uint64_t)(at - image->bytes);
		at++;
	}
}

static void find_strings(const struct elf_image *image, const char *text, struct strings *strings)
{
	for (size_t i = 0; i < image->file->segment_count; i++)
		find_in_segment(image, i, text, strings);
}

static uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static bool strings_have(const struct strings *strings, uint64_t address)
{
	for (size_t i = 0; i < strings->count; i++)
		if (strings->addresses[i] == address)
			return true;
	return false;
}

/* @name is where a pointer to the name is: the second word of a node, which has to be a leaf with a function. */
static void add_node(const struct elf_image *image, const uint8_t *name, struct nodes *nodes)
{
	const uint8_t *node = name - WORD;
	uint64_t function = word_at(node + 4 * WORD);

	if ((node[0] != 1 && node[0] != 0) || word_at(node + 2 * WORD) != 0 ||
	    word_at(node + 3 * WORD) != 0 || !elf_file_is_in_segment(image->file, function, PF_X) ||
	    nodes->count >= NODES_MAX)
		return;
	nodes->nodes[nodes->count].address = image->address + (uint64_t)(node - image->bytes);
	nodes->nodes[nodes->count].function = function;
	nodes->count++;
}

static void search_segment(const struct elf_image *image, size_t index,
                           const struct strings *allocatedp, const struct strings *deallocatedp,
                           struct nodes *ret_allocatedp, struct nodes *ret_deallocatedp)
{
	uint64_t len;
	const uint8_t *bytes = elf_image_segment(image, index, &len);
	/* The first node's name is at a multiple of words, as an address. */
	uint64_t first = bytes ? -(uint64_t)(bytes - image->bytes) % WORD + WORD : 0;

	for (uint64_t at = first; bytes && at + NODE_BYTES - WORD <= len; at += WORD) {
		uint64_t word = word_at(bytes + at);

		/* Nearly all words are no addresses of the image. */
		if (word - image->address >= image->size)
			continue;
		if (strings_have(allocatedp, word))
			add_node(image, bytes + at, ret_allocatedp);
		if (strings_have(deallocatedp, word))
			add_node(image, bytes + at, ret_deallocatedp);
	}
}

/* Returns whether two nodes can be in the same array. */
static bool are_siblings(uint64_t one, uint64_t other)
{
	uint64_t distance = one > other ? one - other : other - one;

	return distance > 0 && distance % NODE_BYTES == 0 && distance / NODE_BYTES < SIBLINGS_MAX;
}

size_t ctl_tree_find(const struct elf_image *image, struct ctl_pair pairs[CTL_PAIRS_MAX])
{
	struct strings allocatedp_names = {0}, deallocatedp_names = {0};
	struct nodes allocatedp = {0}, deallocatedp = {0};
	size_t count = 0;

	find_strings(image, "allocatedp", &allocatedp_names);
	find_strings(image, "deallocatedp", &deallocatedp_names);
	if (allocatedp_names.count == 0 || deallocatedp_names.count == 0)
		return 0;
	for (size_t i = 0; i < image->file->segment_count; i++)
		search_segment(image, i, &allocatedp_names, &deallocatedp_names, &allocatedp,
		               &deallocatedp);
	for (size_t i = 0; i < allocatedp.count; i++)
		for (size_t j = 0; j < deallocatedp.count && count < CTL_PAIRS_MAX; j++)
			if (are_siblings(allocatedp.nodes[i].address,
			                 deallocatedp.nodes[j].address))
				pairs[count++] = (struct ctl_pair){
				        .allocatedp = allocatedp.nodes[i].function,
				        .deallocatedp = deallocatedp.nodes[j].function,
				};
	return count;
}
