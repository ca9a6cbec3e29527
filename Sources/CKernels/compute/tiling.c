// Rearranges rows of weights into tiles of 8 or 16 rows.
#include "tiled.h"
#include "variant.h"

#define INLINE static inline __attribute__((always_inline))

bool ck_has_tiles(uint32_t type) {
  ck_part parts[CK_PARTS];
  return type != CK_F16 && ck_tile_parts(type, parts) > 0;
}

/// `part.count` halves of each row's block, side by side. `count` is a constant where this is called.
INLINE uint8_t *interleave_halves(const size_t count, const uint8_t *const *blocks, const ck_part part, uint8_t *to) {
  for (size_t i = 0; i < part.count; i++, to += 2 * count) {
#pragma clang loop unroll(full)
    for (size_t r = 0; r < count; r++) memcpy(to + r * 2, blocks[r] + part.from + i * 2, 2);
  }
  return to;
}

typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/// The same for words, of which blocks have a multiple of four: four of four rows are turned at a time.
INLINE uint8_t *interleave_words(const size_t count, const uint8_t *const *blocks, const ck_part part, uint8_t *to) {
  for (size_t i = 0; i < part.count; i += 4, to += 16 * count) {
#pragma clang loop unroll(full)
    for (size_t r = 0; r < count; r += 4) {
      words4 rows[4], columns[4];
      for (int k = 0; k < 4; k++) memcpy(&rows[k], blocks[r + k] + part.from + i * 4, sizeof *rows);
      const words4 a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
      const words4 b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
      const words4 c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
      const words4 d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
      columns[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
      columns[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
      columns[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
      columns[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
      for (int k = 0; k < 4; k++) memcpy(to + k * 4 * count + r * 4, &columns[k], sizeof *columns);
    }
  }
  return to;
}

/// The same for up to 16 bytes: each round puts the bytes of two halves of the rows in turn.
INLINE uint8_t *interleave_bytes(const size_t count, const uint8_t *const *blocks, const ck_part part, uint8_t *to) {
  bytes16 rows[CK_WIDE_TILE_ROWS], next[CK_WIDE_TILE_ROWS];
#pragma clang loop unroll(full)
  for (size_t r = 0; r < count; r++) {
    rows[r] = (bytes16){0};
    memcpy(&rows[r], blocks[r] + part.from, part.count);
  }
#pragma clang loop unroll(full)
  for (size_t round = 1; round < count; round *= 2) {
#pragma clang loop unroll(full)
    for (size_t r = 0; r < count / 2; r++) {
      const bytes16 a = rows[r], b = rows[r + count / 2];
      next[2 * r] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * r + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
    memcpy(rows, next, sizeof rows);
  }
  memcpy(to, rows, part.count * count);
  return to + part.count * count;
}

/// The fifth bits of each row, side by side.
INLINE uint8_t *interleave_bits(const size_t count, const uint8_t *const *blocks, const ck_part part, uint8_t *to) {
  for (size_t r = 0; r < count; r++, to += 4) {
    uint32_t word;
    memcpy(&word, blocks[r] + part.from, 4);
    word = ck_bits_to_bytes(word);
    memcpy(to, &word, 4);
  }
  return to;
}

/// One tile of a constant type and number of rows: `steps` lead from block to block of a row, 0 for rows that are
/// not there.
INLINE void tile_rows(const size_t count, const uint32_t type, const uint8_t *const *rows, const size_t *steps,
                      size_t row_bytes, uint8_t *to) {
  ck_part parts[CK_PARTS];
  const size_t bytes = ck_tile_parts(type, parts);
  const uint8_t *blocks[CK_WIDE_TILE_ROWS];
  memcpy(blocks, rows, count * sizeof *blocks);
  for (size_t at = 0; at < row_bytes; at += bytes) {
#pragma clang loop unroll(full)
    for (int p = 0; p < CK_PARTS; p++) {
      if (parts[p].size == 1) to = interleave_bytes(count, blocks, parts[p], to);
      if (parts[p].size == 2) to = interleave_halves(count, blocks, parts[p], to);
      if (parts[p].is_bits) {
        to = interleave_bits(count, blocks, parts[p], to);
        continue;
      }
      if (parts[p].size == 4) to = interleave_words(count, blocks, parts[p], to);
    }
#pragma clang loop unroll(full)
    for (size_t r = 0; r < count; r++) blocks[r] += steps[r];
  }
}

// A block of the rows that the last tile lacks: its scales are 0.
static const uint8_t zeros[256];

/// One tile of Q8_0 out of halves, a block column at a time.
INLINE void tile_halves(const size_t count, const ck_tiling_job *job, size_t first, uint8_t *to) {
  const ck_variant *variant = ck_variant_for(job->cpu);
  const size_t columns = job->row_bytes / 34 * 32, there = job->rows - first;
  const size_t steps[CK_WIDE_TILE_ROWS] = {0};
  for (size_t b = 0; b < columns / 32; b++, to += 34 * count) {
    uint8_t blocks[CK_WIDE_TILE_ROWS][34];
    const uint8_t *rows[CK_WIDE_TILE_ROWS];
    for (size_t r = 0; r < count; r++) {
      rows[r] = r < there ? blocks[r] : zeros;
      if (r < there) variant->round_halves(job->weights + ((first + r) * columns + b * 32) * 2, 1, blocks[r]);
    }
    tile_rows(count, CK_Q8_0, rows, steps, 34, to);
  }
}

/// One tile of Q2_0, whose codes change their places, a block column at a time.
INLINE void tile_transposed(const size_t count, const uint8_t *const *from, const size_t *steps, size_t row_bytes,
                            uint8_t *to) {
  const size_t none[CK_WIDE_TILE_ROWS] = {0};
  for (size_t b = 0; b < row_bytes / 18; b++, to += 18 * count) {
    uint8_t blocks[CK_WIDE_TILE_ROWS][18];
    const uint8_t *rows[CK_WIDE_TILE_ROWS];
    for (size_t r = 0; r < count; r++) {
      const uint8_t *block = from[r] + b * steps[r];
      memcpy(blocks[r], block, 2);
      ck_transpose_codes(block + 2, blocks[r] + 2);
      rows[r] = blocks[r];
    }
    tile_rows(count, CK_Q4_0, rows, none, 18, to);
  }
}

/// One tile of `count` rows, a constant where this is called.
INLINE void tile_chunk(const size_t count, const ck_tiling_job *job, size_t chunk) {
  uint8_t *to = job->tiles + chunk * count * job->row_bytes;
  if (job->halves) return tile_halves(count, job, chunk * count, to);
  ck_part parts[CK_PARTS];
  const size_t bytes = ck_tile_parts(job->type, parts);
  const uint8_t *rows[CK_WIDE_TILE_ROWS];
  size_t steps[CK_WIDE_TILE_ROWS];
  for (size_t r = 0; r < count; r++) {
    const size_t row = chunk * count + r;
    rows[r] = row < job->rows ? job->weights + row * job->row_bytes : zeros;
    steps[r] = row < job->rows ? bytes : 0;
  }
  switch (job->type) {
    case CK_F16: tile_rows(count, CK_F16, rows, steps, job->row_bytes, to); break;
    case CK_Q2_0: tile_transposed(count, rows, steps, job->row_bytes, to); break;
    case CK_MXFP4: tile_rows(count, CK_MXFP4, rows, steps, job->row_bytes, to); break;
    case CK_IQ4_XS: tile_rows(count, CK_IQ4_XS, rows, steps, job->row_bytes, to); break;
    case CK_TQ2_0: tile_rows(count, CK_TQ2_0, rows, steps, job->row_bytes, to); break;
    case CK_Q4_0: case CK_IQ4_NL: case CK_Q2_B: tile_rows(count, CK_Q4_0, rows, steps, job->row_bytes, to); break;
    case CK_Q4_1: tile_rows(count, CK_Q4_1, rows, steps, job->row_bytes, to); break;
    case CK_Q5_0: tile_rows(count, CK_Q5_0, rows, steps, job->row_bytes, to); break;
    case CK_Q5_1: tile_rows(count, CK_Q5_1, rows, steps, job->row_bytes, to); break;
    case CK_Q8_0: tile_rows(count, CK_Q8_0, rows, steps, job->row_bytes, to); break;
    case CK_Q2_K: tile_rows(count, CK_Q2_K, rows, steps, job->row_bytes, to); break;
    case CK_Q3_K: tile_rows(count, CK_Q3_K, rows, steps, job->row_bytes, to); break;
    case CK_Q4_K: tile_rows(count, CK_Q4_K, rows, steps, job->row_bytes, to); break;
    case CK_Q5_K: tile_rows(count, CK_Q5_K, rows, steps, job->row_bytes, to); break;
    case CK_Q6_K: tile_rows(count, CK_Q6_K, rows, steps, job->row_bytes, to); break;
  }
}

void ck_tiling_chunk(const void *argument, size_t chunk) {
  const ck_tiling_job *job = argument;
  if (job->tile_rows == CK_WIDE_TILE_ROWS) {
    tile_chunk(CK_WIDE_TILE_ROWS, job, chunk);
  } else {
    tile_chunk(CK_TILE_ROWS, job, chunk);
  }
}
