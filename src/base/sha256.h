/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* sha256 - the hash of FIPS 180-4, which names a file by its bytes. */
#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t state[8];
	uint64_t bytes; /* added so far */
	unsigned char block[64];
};

/* Two digits for each byte, and a NUL. */
enum { SHA256_HEX_BYTES = 65 };

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t len);
/* Stores the hash in hexadecimal. Nothing may be added after it. */
void sha256_finish(struct sha256 *hash, char ret_hex[SHA256_HEX_BYTES]);
