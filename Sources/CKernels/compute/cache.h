// Cached keys and values, for the instruction set that the including file has chosen.
//
// A row is one head at one position: floats, halves, or int8 in blocks of 32 (the last one may be shorter)
// behind a half for each block, its scale. Values lie in rows. Keys lie in columns: CK_ATTENTION_BLOCK rows, each field of all
// of them behind each other, so that a vector has one value of neighbouring positions. A page has CK_CACHE_PAGE positions of
// every layer, those of a head behind each other: the keys of a block and then its values, as attention reads them.
#ifndef CKERNELS_CACHE_H
#define CKERNELS_CACHE_H

#include "variant.h"
#include "vector.h"

enum { CK_CACHE_BLOCK = 32 };

/// Where the keys of a head are, in the block of positions at `first`, or its values, in pages in which those of its layer begin at
/// `offset`.
CK_INLINE uint8_t *ck_cache_block(void *const *pages, size_t offset, size_t row_bytes, size_t head, size_t first) {
  return (uint8_t *)pages[first / CK_CACHE_PAGE] + offset + (head * CK_CACHE_PAGE + first % CK_CACHE_PAGE) * 2 * row_bytes;
}

CK_INLINE void ck_store_halves(const float *x, size_t count, void *row) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    f8 v;
    CK_LOAD8(v, x + i);
    ck_store_half8((uint16_t *)row + i, &v);
  }
  for (; i < count; i++) ((uint16_t *)row)[i] = ck_to_half(x[i]);
}

CK_INLINE void ck_store_bytes(const float *x, size_t count, uint8_t *row) {
  int8_t *q = (int8_t *)row + (count + CK_CACHE_BLOCK - 1) / CK_CACHE_BLOCK * 2;
  for (size_t first = 0; first < count; first += CK_CACHE_BLOCK, row += 2) {
    const size_t end = first + CK_CACHE_BLOCK < count ? first + CK_CACHE_BLOCK : count;
    float most = 0, damage = 0;
    for (size_t i = first; i < end; i++) {
      most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
      damage += x[i] * 0;  // NaN as soon as a value is not finite, and so are all that come back
    }
    // What comes back is a multiple of the scale as it is stored. Halves end at 65504.
    const uint16_t half = ck_to_half((most / 127 < 65504 ? most / 127 : 65504) + damage);
    const float scale = ck_from_half(half);
    memcpy(row, &half, 2);
    for (size_t i = first; i < end; i++) {
      const float value = scale > 0 ? rintf(x[i] / scale) : 0;
      q[i] = (int8_t)(value > 127 ? 127 : value < -127 ? -127 : value);
    }
  }
}

/// Writes a head of `count` values.
CK_INLINE void ck_store_head(const float *x, size_t count, void *row, ck_cache_format format) {
  switch (format) {
    case CK_CACHE_F32: memcpy(row, x, count * 4); break;
    case CK_CACHE_F16: ck_store_halves(x, count, row); break;
    case CK_CACHE_Q8: ck_store_bytes(x, count, row); break;
  }
}

/// Puts `count` fields of `bytes` each, which are a row, into column `place`.
CK_INLINE void ck_spread(const uint8_t *row, const size_t bytes, size_t count, uint8_t *columns, size_t place) {
  for (size_t i = 0; i < count; i++) memcpy(columns + (i * CK_ATTENTION_BLOCK + place) * bytes, row + i * bytes, bytes);
}

/// Writes a head of `count` values, at most CK_ATTENTION_SIZE, as column `place`.
CK_INLINE void ck_store_column(const float *x, size_t count, uint8_t *columns, size_t place, ck_cache_format format) {
  uint8_t row[CK_ATTENTION_SIZE * 4];
  ck_store_head(x, count, row, format);
  const size_t scales = (count + CK_CACHE_BLOCK - 1) / CK_CACHE_BLOCK;
  switch (format) {
    case CK_CACHE_F32: ck_spread(row, 4, count, columns, place); break;
    case CK_CACHE_F16: ck_spread(row, 2, count, columns, place); break;
    case CK_CACHE_Q8:
      ck_spread(row, 2, scales, columns, place);
      ck_spread(row + scales * 2, 1, count, columns + scales * 2 * CK_ATTENTION_BLOCK, place);
      break;
  }
}

CK_INLINE void ck_load_halves(const uint16_t *halves, size_t count, float *values) {
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
#pragma clang loop unroll(full)
    for (int part = 0; part < 32; part += CK_LANES) {
      ck_lanes v;
      ck_load_half_lanes(&v, halves + i + part);
      CK_STORE(values + i + part, v);
    }
  }
  for (; i + 8 <= count; i += 8) {
    f8 v;
    ck_load_half8(&v, halves + i);
    CK_STORE8(values + i, v);
  }
  for (; i < count; i++) values[i] = ck_from_half(halves[i]);
}

CK_INLINE void ck_load_bytes(const uint8_t *row, size_t size, float *values) {
  const int8_t *q = (const int8_t *)row + (size + CK_CACHE_BLOCK - 1) / CK_CACHE_BLOCK * 2;
  for (size_t first = 0; first < size; first += CK_CACHE_BLOCK, row += 2) {
    const size_t end = first + CK_CACHE_BLOCK < size ? first + CK_CACHE_BLOCK : size;
    uint16_t half;
    memcpy(&half, row, 2);
    const float scale = ck_from_half(half);
    size_t i = first;
    for (; i + 8 <= end; i += 8) {
      i8x8 packed;
      memcpy(&packed, q + i, 8);
      const f8 v = __builtin_convertvector(packed, f8) * scale;
      CK_STORE8(values + i, v);
    }
    for (; i < end; i++) values[i] = q[i] * scale;
  }
}

/// A head of `count` values as floats.
CK_INLINE void ck_load_head(const uint8_t *row, ck_cache_format format, size_t count, float *values) {
  switch (format) {
    case CK_CACHE_F32: memcpy(values, row, count * 4); break;
    case CK_CACHE_F16: ck_load_halves((const uint16_t *)row, count, values); break;
    case CK_CACHE_Q8: ck_load_bytes(row, count, values); break;
  }
}

/// Columns of int8, `count` values each, as floats: (count, CK_ATTENTION_BLOCK).
CK_INLINE void ck_load_byte_columns(const uint8_t *columns, size_t count, float *values) {
  const uint8_t *scales = columns;
  columns += (count + CK_CACHE_BLOCK - 1) / CK_CACHE_BLOCK * 2 * CK_ATTENTION_BLOCK;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *scale = scales + i / CK_CACHE_BLOCK * 2 * CK_ATTENTION_BLOCK;
    for (int p = 0; p < CK_ATTENTION_BLOCK; p += 8) {
      f8 factor;
      ck_load_half8(&factor, scale + p * 2);
      i8x8 packed;
      memcpy(&packed, columns + i * CK_ATTENTION_BLOCK + p, 8);
      const f8 v = __builtin_convertvector(packed, f8) * factor;
      CK_STORE8(values + i * CK_ATTENTION_BLOCK + p, v);
    }
  }
}

#endif
