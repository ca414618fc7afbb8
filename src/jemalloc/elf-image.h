/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* elf-image - a private copy of an ELF file as it would be in memory, at the addresses in the file. Only as many zeros as code may
 * need follow the bytes of a segment. */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "elf-file.h"

enum {
	ELF_IMAGE_PAGE = 4096,
	ELF_IMAGE_BYTES_MAX = 1 << 29, /* of the file */
};

/* From the first address to the last, which is as far as most code can reach. */
#define ELF_IMAGE_SPAN_MAX ((uint64_t)1 << 31)

struct elf_image {
	uint8_t *bytes;   /* owned; whole pages */
	uint64_t address; /* of the first byte */
	uint64_t size;
	const struct elf_file *file;
};

#define ELF_IMAGE_INIT ((struct elf_image){0})

/* Reads the segments and applies the relocations that are relative to the image. Returns 0, -ENOEXEC where the segments
 * make no sense, -EFBIG, -ENOMEM, or -errno of the reading. @file is borrowed for the image's life. */
must_check_ int elf_image_load(const struct elf_file *file, struct elf_image *ret_image);
/* For cleanup_(elf_image_done). */
void elf_image_done(struct elf_image *image);

/* A segment's bytes that are from the file, none where it is not one to load. */
const uint8_t *elf_image_segment(const struct elf_image *image, size_t index, uint64_t *ret_len);

/* The bytes at an address, NULL where they are not all in the image. */
uint8_t *elf_image_at(const struct elf_image *image, uint64_t address, uint64_t len);

/* The value of a dynamic entry, or 0. */
uint64_t elf_image_dynamic(const struct elf_image *image, int64_t tag);

/* Calls @take for each dynamic relocation with an addend; @symbol is NULL where it has none, or one that the file does
 * not define. */
void elf_image_each_relocation(const struct elf_image *image,
                               void (*take)(void *context, const Elf64_Rela *relocation,
                                            const Elf64_Sym *symbol),
                               void *context);
