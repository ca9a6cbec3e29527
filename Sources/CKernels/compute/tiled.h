// Weights in tiles of 8 or 16 rows, so that one vector instruction works on all of them: no sums across
// a vector, and scales are applied to all rows at once. A tile holds the bytes of its rows in another
// order, block column by block column, and is as large as the rows were; with R rows:
//
//   F16    columns (R x f16)
//   Q4_0   scales (R x f16), 4 groups of words; IQ4_NL, Q2_B and Q2_0 alike
//   MXFP4  scales (R bytes), 4 groups of words
//   Q4_1   scales (R x f16), offsets (R x f16), 4 groups of words
//   Q5_0   scales (R x f16), fifth bits (R x 4 bytes), 4 groups of words
//   Q5_1   scales (R x f16), offsets (R x f16), fifth bits (R x 4 bytes), 4 groups of words
//   Q8_0   scales (R x f16), 8 groups of words
//   Q4_K   d (R x f16), dmin (R x f16), packed 6-bit scales (12 x R bytes), 32 groups of words
//   Q2_K   d (R x f16), dmin (R x f16), scales and mins (16 x R bytes), 16 groups of words
//   Q5_K   d (R x f16), dmin (R x f16), packed 6-bit scales (12 x R bytes), 8 groups of high words, 32 of low ones
//   Q3_K   d (R x f16), packed 6-bit scales (12 x R bytes), 8 groups of high words, 16 of low ones
//   TQ2_0  d (R x f16), 16 groups of words
//   IQ4_XS d (R x f16), upper bits of the scales (R x 2 bytes), lower ones (4 x R bytes), 32 groups of words
//   Q6_K   d (R x f16), scales (16 x R bytes), 32 groups of low words, 16 groups of high words
//
// The fifth bits of a row are in another order than in the file: bit k of byte j is that of column 4k + j, so that
// it is in the byte of its code, k shifts away, as in the high words of Q5_K and Q3_K. The codes of Q2_0 are in the
// order of Q2_B.
//
// A group of words is 4 bytes of codes of each row: one or two vectors with a row per 32-bit lane, which AVX2's
// vpmaddubsw, VNNI's vpdpbusd and NEON's sdot by element all multiply with one broadcast of 4 activations.
#ifndef CKERNELS_TILED_H
#define CKERNELS_TILED_H

#include <string.h>

#include "variant.h"

/// Where a block of a tile keeps its parts: runs of `size` bytes of each row's block, lying side by side.
typedef struct {
  uint16_t from;   // in a row's block
  uint16_t count;  // of runs
  uint16_t size;   // bytes per run
  bool is_bits;    // the fifth bits of 32 codes
} ck_part;

enum { CK_PARTS = 4 };

/// The parts of a block in the order in which the tile has them, and the bytes of a row's block; no parts
/// for types that have no tiles.
static inline size_t ck_tile_parts(uint32_t type, ck_part parts[CK_PARTS]) {
  memset(parts, 0, CK_PARTS * sizeof *parts);
  switch (type) {
    case CK_F16:
      parts[0] = (ck_part){0, 1, 2};
      return 2;
    case CK_MXFP4:
      parts[0] = (ck_part){0, 1, 1}, parts[1] = (ck_part){1, 4, 4};
      return 17;
    case CK_Q4_0: case CK_IQ4_NL: case CK_Q2_B: case CK_Q2_0:
      parts[0] = (ck_part){0, 1, 2}, parts[1] = (ck_part){2, 4, 4};
      return 18;
    case CK_Q4_1:
      parts[0] = (ck_part){0, 2, 2}, parts[1] = (ck_part){4, 4, 4};
      return 20;
    case CK_Q5_0:
      parts[0] = (ck_part){0, 1, 2}, parts[1] = (ck_part){2, 1, 4, true}, parts[2] = (ck_part){6, 4, 4};
      return 22;
    case CK_Q5_1:
      parts[0] = (ck_part){0, 2, 2}, parts[1] = (ck_part){4, 1, 4, true}, parts[2] = (ck_part){8, 4, 4};
      return 24;
    case CK_Q8_0:
      parts[0] = (ck_part){0, 1, 2}, parts[1] = (ck_part){2, 8, 4};
      return 34;
    case CK_Q4_K:
      parts[0] = (ck_part){0, 2, 2}, parts[1] = (ck_part){4, 12, 1}, parts[2] = (ck_part){16, 32, 4};
      return 144;
    case CK_IQ4_XS:
      parts[0] = (ck_part){0, 2, 2}, parts[1] = (ck_part){4, 4, 1}, parts[2] = (ck_part){8, 32, 4};
      return 136;
    case CK_TQ2_0:
      parts[0] = (ck_part){64, 1, 2}, parts[1] = (ck_part){0, 16, 4};
      return 66;
    case CK_Q2_K:
      parts[0] = (ck_part){80, 2, 2}, parts[1] = (ck_part){0, 16, 1}, parts[2] = (ck_part){16, 16, 4};
      return 84;
    case CK_Q5_K:
      parts[0] = (ck_part){0, 2, 2}, parts[1] = (ck_part){4, 12, 1};
      parts[2] = (ck_part){16, 8, 4}, parts[3] = (ck_part){48, 32, 4};
      return 176;
    case CK_Q3_K:
      parts[0] = (ck_part){108, 1, 2}, parts[1] = (ck_part){96, 12, 1};
      parts[2] = (ck_part){0, 8, 4}, parts[3] = (ck_part){32, 16, 4};
      return 110;
    case CK_Q6_K:
      parts[0] = (ck_part){208, 1, 2}, parts[1] = (ck_part){192, 16, 1};
      parts[2] = (ck_part){0, 32, 4}, parts[3] = (ck_part){128, 16, 4};
      return 210;
    default: return 0;
  }
}

/// Where the words of a block of 8 rows begin.
static inline size_t ck_words(const uint32_t type) {
  switch (type) {
    case CK_MXFP4: return 8;
    case CK_Q4_1: return 32;
    case CK_Q5_0: return 48;
    case CK_Q5_1: case CK_IQ4_XS: return 64;
    case CK_Q3_K: return 112;
    case CK_Q4_K: case CK_Q5_K: return 128;
    case CK_Q6_K: return 144;
    case CK_Q2_K: return 160;
    default: return 16;
  }
}

/// Types of 32 values per block with a fifth bit.
static inline bool ck_has_fifth(const uint32_t type) { return type == CK_Q5_0 || type == CK_Q5_1; }

/// Types of 256 values per block with signed scales: they have no mins, the middle code stands for 0.
static inline bool ck_is_signed(const uint32_t type) { return type == CK_Q3_K || type == CK_Q6_K; }

/// Types of 256 values per block with a scale for each 32, not 16.
static inline bool ck_is_wide(const uint32_t type) { return type == CK_Q4_K || type == CK_Q5_K; }

/// Bit 4k + j of a word at bit k of byte j.
static inline uint32_t ck_bits_to_bytes(uint32_t word) {
  uint32_t bytes = 0;
  for (int j = 0; j < 4; j++) {
    uint32_t bits = word >> j & 0x11111111;
    bits = (bits | bits >> 3) & 0x03030303;
    bits = (bits | bits >> 6) & 0x000f000f;
    bytes |= ((bits | bits >> 12) & 0xff) << 8 * j;
  }
  return bytes;
}

/// The reverse.
static inline uint32_t ck_bits_from_bytes(uint32_t bytes) {
  uint32_t word = 0;
  for (int j = 0; j < 4; j++) {
    uint32_t bits = bytes >> 8 * j & 0xff;
    bits = (bits | bits << 12) & 0x000f000f;
    bits = (bits | bits << 6) & 0x03030303;
    word |= ((bits | bits << 3) & 0x11111111) << j;
  }
  return word;
}

/// The codes of a block of Q2_0 in the order of Q2_B: those of byte j, 4 j to 4 j + 3, become j, 16 + j, 32 + j, 48 + j.
static inline void ck_transpose_codes(const uint8_t from[16], uint8_t to[16]) {
  uint8_t codes[64];
  for (int n = 0; n < 64; n++) codes[n] = from[n / 4] >> n % 4 * 2 & 3;
  for (int j = 0; j < 16; j++) to[j] = codes[j] | codes[16 + j] << 2 | codes[32 + j] << 4 | codes[48 + j] << 6;
}

/// The reverse.
static inline void ck_restore_codes(const uint8_t from[16], uint8_t to[16]) {
  uint8_t codes[64];
  for (int n = 0; n < 64; n++) codes[n] = from[n % 16] >> n / 16 * 2 & 3;
  for (int j = 0; j < 16; j++)
    to[j] = codes[4 * j] | codes[4 * j + 1] << 2 | codes[4 * j + 2] << 4 | codes[4 * j + 3] << 6;
}

/// Block `b` of row `r` of a tile of `rows` rows, as the file has it.
static inline void ck_untile_block(uint32_t type, size_t rows, const uint8_t *tile, size_t b, size_t r,
                                   uint8_t *block) {
  ck_part parts[CK_PARTS];
  const size_t bytes = ck_tile_parts(type, parts);
  const uint8_t *from = tile + b * bytes * rows;
  for (int p = 0; p < CK_PARTS; p++) {
    for (size_t i = 0; i < parts[p].count; i++, from += parts[p].size * rows)
      memcpy(block + parts[p].from + i * parts[p].size, from + r * parts[p].size, parts[p].size);
    if (!parts[p].is_bits) continue;
    uint32_t word;
    memcpy(&word, block + parts[p].from, 4);
    word = ck_bits_from_bytes(word);
    memcpy(block + parts[p].from, &word, 4);
  }
  if (type != CK_Q2_0) return;
  uint8_t codes[16];
  memcpy(codes, block + 2, 16);
  ck_restore_codes(codes, block + 2);
}

/// Asks for the `bytes` at `next`, which the next tile's first pass will read.
static inline __attribute__((always_inline)) void ck_prefetch(const uint8_t *next, const size_t bytes) {
#pragma clang loop unroll(full)
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(next + i, 0, 3);
}

/// An eighth of that: asked for all at once, the lines of a large block wait for each other and for what is read.
static inline __attribute__((always_inline)) void ck_prefetch_part(const uint8_t *next, const size_t bytes,
                                                                   const size_t eighth) {
  const size_t lines = (bytes + 63) / 64;
#pragma clang loop unroll(full)
  for (size_t i = lines * eighth / 8; i < lines * (eighth + 1) / 8; i++) __builtin_prefetch(next + i * 64, 0, 3);
}

#endif
