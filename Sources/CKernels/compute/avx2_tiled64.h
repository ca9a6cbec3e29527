// Products with tiles of weights in blocks of 64, for AVX2; see tiled.h.
#ifndef CKERNELS_AVX2_TILED64_H
#define CKERNELS_AVX2_TILED64_H

#include "avx2_tiled32.h"

/// 16 times 32 products of each of 8 rows with each of `N` activation rows, for the first or second half of a
/// block. Sums of eight products of a pair of codes stay within 6,096, so they are widened once.
CK_INLINE void ck_tile_dots_q2_B(const int N, const int half, const uint8_t *words, const int8_t *x,
                                 size_t x_bytes, __m256i dots[CK_GROUP]) {
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(words + k % 4 * 32));
    const int shift = half * 4 + k / 4 * 2;
    const __m256i codes = _mm256_and_si256(shift ? _mm256_srli_epi16(bytes, shift) : bytes, _mm256_set1_epi8(3));
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i pairs = _mm256_maddubs_epi16(codes, ck_four(x + n * x_bytes + 4 * k));
      dots[n] = k == 0 ? pairs : _mm256_add_epi16(dots[n], pairs);
      CK_IN_ORDER(dots[n]);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) dots[n] = _mm256_madd_epi16(dots[n], _mm256_set1_epi16(16));
}

/// 8 weight rows by `N` activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_tiled64(const uint32_t type, const int N, size_t columns, const uint8_t *tile,
                          size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t bytes = 144;
  __m256 sums[CK_GROUP];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 32; b += 2, tile += bytes) {
    const __m256 d = _mm256_mul_ps(ck_halves8(tile), _mm256_set1_ps(0.0625f));
    if (ahead) ck_prefetch(tile + ahead, bytes);
#pragma clang loop unroll(full)
    for (int half = 0; half < 2; half++) {
      __m256i dots[CK_GROUP];
      ck_tile_dots_q2_B(N, half, tile + 16, ck_values(x, columns) + (b + half) * 32, x_bytes, dots);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const uint8_t *row = x + n * x_bytes;
        // Codes are 1.5 above what they stand for: 16 dot - 24 sum.
        const __m256i halves = ck_four((const int8_t *)(ck_half_sums(row, columns) + 2 * (b + half)));
        const __m256i offset = _mm256_madd_epi16(halves, _mm256_set1_epi16(-24));
        const __m256 dot = _mm256_cvtepi32_ps(_mm256_add_epi32(dots[n], offset));
        const __m256 scale = _mm256_mul_ps(d, _mm256_broadcast_ss(ck_scales(row) + b + half));
        sums[n] = _mm256_fmadd_ps(dot, scale, sums[n]);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) _mm256_storeu_ps(y + n * y_stride, sums[n]);
}

#endif
