// Products with two tiles of weights at once, for AVX2: a broadcast of activations serves 16 rows. With four
// rows of activations the sums of both tiles just fit into the registers; what else is summed is in memory.
#ifndef CKERNELS_AVX2_PAIRS_H
#define CKERNELS_AVX2_PAIRS_H

#include "avx2_tiled256.h"

enum { CK_PAIR_SUMS = 2 * CK_GROUP };

// Keeps a sum out of the registers that inner loops need.
#define CK_IN_MEMORY(vector) __asm__("" : "+m"(vector))

/// Sums of 16 bits: both tiles' codes of 4 columns times four rows of activations.
CK_INLINE void ck_pair_add16(const bool first, const __m256i codes[2], const int8_t *q, size_t x_bytes,
                             __m256i sums[CK_PAIR_SUMS]) {
#pragma clang loop unroll(full)
  for (int n = 0; n < CK_GROUP; n++) {
    const __m256i four = ck_four(q + n * x_bytes);
#pragma clang loop unroll(full)
    for (int t = 0; t < 2; t++) {
      const __m256i pairs = _mm256_maddubs_epi16(codes[t], four);
      __m256i *sum = &sums[2 * n + t];
      *sum = first ? pairs : _mm256_add_epi16(*sum, pairs);
      CK_IN_ORDER(*sum);
    }
  }
}

/// The same for signed bytes, in 32 bits.
CK_INLINE void ck_pair_add8(const bool first, const __m256i codes[2], const int8_t *q, size_t x_bytes,
                            __m256i sums[CK_PAIR_SUMS]) {
  const __m256i sizes[2] = {_mm256_abs_epi8(codes[0]), _mm256_abs_epi8(codes[1])};
#pragma clang loop unroll(full)
  for (int n = 0; n < CK_GROUP; n++) {
    const __m256i four = ck_four(q + n * x_bytes);
#pragma clang loop unroll(full)
    for (int t = 0; t < 2; t++) {
      const __m256i pairs = _mm256_maddubs_epi16(sizes[t], _mm256_sign_epi8(four, codes[t]));
      const __m256i four_sums = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
      __m256i *sum = &sums[2 * n + t];
      *sum = first ? four_sums : _mm256_add_epi32(*sum, four_sums);
      CK_IN_ORDER(*sum);
    }
  }
}

/// Two tiles, `apart` bytes apart, by CK_GROUP activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_pair32(const uint32_t type, size_t columns, const uint8_t *tile, size_t apart,
                         size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t bytes = CK_TILE_ROWS * ck_block_bytes(type);
  __m256 sums[CK_PAIR_SUMS];
#pragma clang loop unroll(full)
  for (int i = 0; i < CK_PAIR_SUMS; i++) sums[i] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 32; b++, tile += bytes) {
    const int8_t *q = ck_values(x, columns) + b * 32;
    if (ahead) {
      ck_prefetch(tile + ahead, bytes), ck_prefetch(tile + apart + ahead, bytes);
    }
    __m256i dots[CK_PAIR_SUMS];
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) {
      const int k = ck_order32(type, i);
      const __m256i codes[2] = {ck_tile_codes32(type, tile + 16, k), ck_tile_codes32(type, tile + apart + 16, k)};
      if (type == CK_Q8_0) {
        ck_pair_add8(k == 0, codes, q + 4 * k, x_bytes, dots);
      } else {
        ck_pair_add16(k == 0, codes, q + 4 * k, x_bytes, dots);
      }
    }
    const __m256 d[2] = {ck_halves8(tile), ck_halves8(tile + apart)};
#pragma clang loop unroll(full)
    for (int i = 0; i < CK_PAIR_SUMS; i++) {
      const uint8_t *row = x + i / 2 * x_bytes;
      if (type == CK_Q4_0)
        dots[i] = _mm256_add_epi32(_mm256_madd_epi16(dots[i], _mm256_set1_epi16(1)),
                                   _mm256_set1_epi32(ck_offsets(row, columns)[b]));
      const __m256 scale = _mm256_mul_ps(d[i % 2], _mm256_broadcast_ss(ck_scales(row) + b));
      sums[i] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[i]), scale, sums[i]);
      CK_IN_MEMORY(sums[i]);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < CK_PAIR_SUMS; i++) _mm256_storeu_ps(y + i / 2 * y_stride + i % 2 * 8, sums[i]);
}

/// The products of columns `g` * 32 + (0..<32) of both tiles of Q4_K, times their scales.
CK_INLINE void ck_pair_dots256(const ck_tile_heading h[2], const int g, const uint8_t *words, size_t apart,
                               const uint8_t *x, size_t x_bytes, size_t columns, size_t b,
                               __m256 products[CK_PAIR_SUMS]) {
  const int8_t *q = ck_values(x, columns) + b * 256 + g * 32;
  __m256i sums[CK_PAIR_SUMS];
  // The compiler would keep all bytes of one group in memory of its own until the next takes their high nibbles.
  __asm__("" : "+r"(words));
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const __m256i codes[2] = {ck_tile_codes256(CK_Q4_K, words, g, k),
                              ck_tile_codes256(CK_Q4_K, words + apart, g, k)};
    ck_pair_add16(k == 0, codes, q + 4 * k, x_bytes, sums);
  }
  const __m256i scales[2] = {ck_pair16(CK_Q4_K, h[0].scales + g * 8, h[0].scales + g * 8),
                             ck_pair16(CK_Q4_K, h[1].scales + g * 8, h[1].scales + g * 8)};
#pragma clang loop unroll(full)
  for (int i = 0; i < CK_PAIR_SUMS; i++) {
    const __m256 dot = _mm256_cvtepi32_ps(_mm256_madd_epi16(sums[i], scales[i % 2]));
    const __m256 scale = _mm256_broadcast_ss(ck_scales(x + i / 2 * x_bytes) + b * 8 + g);
    products[i] = g == 0 ? _mm256_mul_ps(dot, scale) : _mm256_fmadd_ps(dot, scale, products[i]);
    CK_IN_MEMORY(products[i]);
  }
}

/// What the mins of a block of both tiles add for each activation row, before dmin.
CK_INLINE void ck_pair_mins(const ck_tile_heading h[2], const uint8_t *x, size_t x_bytes, size_t columns,
                            size_t b, __m256 offsets[CK_PAIR_SUMS]) {
#pragma clang loop unroll(full)
  for (int g = 0; g < 8; g++) {
    const __m256 mins[2] = {ck_floats8(h[0].mins + 8 * g), ck_floats8(h[1].mins + 8 * g)};
#pragma clang loop unroll(full)
    for (int n = 0; n < CK_GROUP; n++) {
      const __m256 total = _mm256_broadcast_ss(ck_totals(x + n * x_bytes, columns) + b * 8 + g);
#pragma clang loop unroll(full)
      for (int t = 0; t < 2; t++) {
        __m256 *offset = &offsets[2 * n + t];
        *offset = g == 0 ? _mm256_mul_ps(mins[t], total) : _mm256_fmadd_ps(mins[t], total, *offset);
        CK_IN_ORDER(*offset);
      }
    }
  }
}

/// As above for Q4_K.
CK_INLINE void ck_pair256(const uint32_t type, size_t columns, const uint8_t *tile, size_t apart,
                          size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t bytes = 1152, words = 128;
  __m256 sums[CK_PAIR_SUMS];
#pragma clang loop unroll(full)
  for (int i = 0; i < CK_PAIR_SUMS; i++) sums[i] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 256; b++, tile += bytes) {
    ck_tile_heading h[2];
    ck_tile_heading_q4(tile, &h[0]);
    ck_tile_heading_q4(tile + apart, &h[1]);
    if (ahead) ck_prefetch(tile + ahead, bytes), ck_prefetch(tile + apart + ahead, bytes);
    __m256 products[CK_PAIR_SUMS], offsets[CK_PAIR_SUMS];
#pragma clang loop unroll(full)
    for (int g = 0; g < 8; g++)
      ck_pair_dots256(h, g, tile + words, apart, x, x_bytes, columns, b, products);
    ck_pair_mins(h, x, x_bytes, columns, b, offsets);
#pragma clang loop unroll(full)
    for (int i = 0; i < CK_PAIR_SUMS; i++) {
      sums[i] = _mm256_fmadd_ps(products[i], h[i % 2].d, sums[i]);
      sums[i] = _mm256_fnmadd_ps(offsets[i], h[i % 2].dmin, sums[i]);
      CK_IN_MEMORY(sums[i]);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < CK_PAIR_SUMS; i++) _mm256_storeu_ps(y + i / 2 * y_stride + i % 2 * 8, sums[i]);
}

// Pairs of tiles by groups of four rows of activations; what is left of either goes to the kernel for one tile.
#define CK_PAIRED(name, kernel, single, type)                                                    \
  static void name(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,       \
                   const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) { \
    const size_t bytes = CK_TILE_ROWS * row_bytes;                                              \
    for (; rows >= 2 * CK_TILE_ROWS && batch >= CK_GROUP; rows -= 2 * CK_TILE_ROWS) {           \
      size_t n = 0;                                                                             \
      for (; n + CK_GROUP <= batch; n += CK_GROUP)                                              \
        kernel(type, columns, weights, bytes, n + CK_GROUP == batch ? 2 * bytes : 0,            \
               x + n * x_bytes, x_bytes, y + n * y_stride, y_stride);                           \
      if (n < batch)                                                                            \
        single(columns, weights, row_bytes, 2 * CK_TILE_ROWS, x + n * x_bytes, x_bytes,         \
               batch - n, y + n * y_stride, y_stride);                                          \
      weights += 2 * bytes, y += 2 * CK_TILE_ROWS;                                              \
    }                                                                                           \
    if (rows > 0) single(columns, weights, row_bytes, rows, x, x_bytes, batch, y, y_stride);    \
  }
CK_PAIRED(ck_paired_q4_0, ck_pair32, ck_tiled_q4_0, CK_Q4_0)
CK_PAIRED(ck_paired_q8_0, ck_pair32, ck_tiled_q8_0, CK_Q8_0)
CK_PAIRED(ck_paired_q4_K, ck_pair256, ck_tiled_q4_K, CK_Q4_K)

// The table takes these in the place of the kernels for one tile.
#define ck_tiled_q4_0 ck_paired_q4_0
#define ck_tiled_q8_0 ck_paired_q8_0
#define ck_tiled_q4_K ck_paired_q4_K

#endif
