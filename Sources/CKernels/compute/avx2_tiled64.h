// Products with tiles of weights in blocks of 64, for AVX2; see tiled.h. Two tiles at once, where there are two:
// one broadcast of activations serves both.
#ifndef CKERNELS_AVX2_TILED64_H
#define CKERNELS_AVX2_TILED64_H

#include "tiled_rows.h"

/// 32 products, one half of a block, of each row of `T` tiles that lie `next` bytes apart with each of `N`
/// activation rows, in pairs of 16 bits. Sums of eight products of a pair of codes stay within 6,096.
CK_INLINE void ck_tile_dots_q2_B(const int T, const int N, const int half, const uint8_t *words, size_t next,
                                 const int8_t *x, size_t x_bytes, __m256i dots[2][CK_GROUP]) {
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const int shift = half * 4 + k / 4 * 2;
    __m256i codes[2];
#pragma clang loop unroll(full)
    for (int t = 0; t < T; t++) {
      const __m256i bytes = _mm256_loadu_si256((const __m256i *)(words + t * next + k % 4 * 32));
      codes[t] = _mm256_and_si256(shift ? _mm256_srli_epi16(bytes, shift) : bytes, _mm256_set1_epi8(3));
    }
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i four = ck_four(x + n * x_bytes + 4 * k);
#pragma clang loop unroll(full)
      for (int t = 0; t < T; t++) {
        const __m256i pairs = _mm256_maddubs_epi16(codes[t], four);
        dots[t][n] = k == 0 ? pairs : _mm256_add_epi16(dots[t][n], pairs);
        CK_IN_ORDER(dots[t][n]);
      }
    }
  }
}

/// The rows of `T` tiles, `next` bytes apart, by `N` activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_tiled64(const uint32_t type, const int T, const int N, size_t columns, const uint8_t *tile, size_t next,
                          size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t bytes = 144;
  __m256 sums[2][CK_GROUP];
#pragma clang loop unroll(full)
  for (int i = 0; i < T * N; i++) sums[i / N][i % N] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 32; b += 2, tile += bytes) {
#pragma clang loop unroll(full)
    for (int t = 0; t < T && ahead; t++) ck_prefetch(tile + t * next + ahead, bytes);
#pragma clang loop unroll(full)
    for (int half = 0; half < 2; half++) {
      __m256i dots[2][CK_GROUP];
      ck_tile_dots_q2_B(T, N, half, tile + 16, next, ck_values(x, columns) + (b + half) * 32, x_bytes, dots);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const uint8_t *row = x + n * x_bytes;
        // Codes are 1.5 or 1 above what they stand for: 16 dot - 24 sum, or 16 dot - 16 sum.
        const __m256i halves = ck_four((const int8_t *)(ck_half_sums(row, columns) + 2 * (b + half)));
        const __m256i offset = _mm256_madd_epi16(halves, _mm256_set1_epi16(type == CK_Q2_0 ? -16 : -24));
        const __m256 d_x = _mm256_broadcast_ss(ck_scales(row) + b + half);
#pragma clang loop unroll(full)
        for (int t = 0; t < T; t++) {
          const __m256i dot = _mm256_madd_epi16(dots[t][n], _mm256_set1_epi16(16));
          const __m256 d = _mm256_mul_ps(ck_halves8(tile + t * next), _mm256_set1_ps(0.0625f));
          sums[t][n] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(dot, offset)),
                                       _mm256_mul_ps(d, d_x), sums[t][n]);
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < T * N; i++)
    _mm256_storeu_ps(y + i % N * y_stride + i / N * CK_TILE_ROWS, sums[i / N][i % N]);
}

CK_INLINE void ck_all_tiled64(const uint32_t type, size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,
                              const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) {
  const size_t next = CK_TILE_ROWS * row_bytes;
  for (size_t r = 0; r < rows; r += 2 * CK_TILE_ROWS, weights += 2 * next) {
    const bool both = rows - r > CK_TILE_ROWS;
    for (size_t n = 0; n < batch; n += CK_GROUP) {
      const uint8_t *group = x + n * x_bytes;
      float *out = y + n * y_stride + r;
      const size_t left = batch - n, ahead = left > CK_GROUP ? 0 : n > 0 ? 2 * next : CK_AHEAD;
#define CK_CASE(N)                                                                               \
  if (both) ck_tiled64(type, 2, N, columns, weights, next, ahead, group, x_bytes, out, y_stride);      \
  else ck_tiled64(type, 1, N, columns, weights, next, ahead, group, x_bytes, out, y_stride)
      switch (left) {
        case 1: CK_CASE(1); break;
        case 2: CK_CASE(2); break;
        case 3: CK_CASE(3); break;
        default: CK_CASE(4);
      }
#undef CK_CASE
    }
  }
}

#define CK_TILED64(name, type)                                                                   \
  static void name(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,       \
                   const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) { \
    ck_all_tiled64(type, columns, weights, row_bytes, rows, x, x_bytes, batch, y, y_stride);    \
  }
CK_TILED64(ck_tiled_q2_B, CK_Q2_B)
CK_TILED64(ck_tiled_q2_0, CK_Q2_0)

#endif
