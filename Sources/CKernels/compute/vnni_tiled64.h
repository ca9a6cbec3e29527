// Products with tiles of 16 rows of weights in blocks of 64, for AVX-512 with VNNI; see tiled.h.
#ifndef CKERNELS_VNNI_TILED64_H
#define CKERNELS_VNNI_TILED64_H

#include "vnni_tiled32.h"

/// The products of 32 columns, one half of a block, less 1.5 times the sums of the activations; all times 16.
CK_INLINE void ck_wide_dots_q2_B(const int N, const int half, const uint8_t *words, const uint8_t *x, size_t x_bytes,
                                 size_t columns, size_t b, __m512i dots[CK_TILE]) {
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const int shift = half * 4 + k / 4 * 2;
    const __m512i bytes = ck_bytes64(words + k % 4 * 64);
    const __m512i codes = _mm512_and_si512(shift ? _mm512_srli_epi16(bytes, shift) : bytes, _mm512_set1_epi8(3));
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const int8_t *q = ck_values(x + n * x_bytes, columns) + b * 32 + k * 4;
      dots[n] = _mm512_dpbusd_epi32(k == 0 ? _mm512_setzero_si512() : dots[n], codes, ck_four16(q));
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) {
    const __m512i halves = ck_four16((const int8_t *)(ck_half_sums(x + n * x_bytes, columns) + 2 * b));
    const __m512i offset = _mm512_madd_epi16(halves, _mm512_set1_epi16(-24));
    dots[n] = _mm512_add_epi32(_mm512_slli_epi32(dots[n], 4), offset);
  }
}

/// 16 weight rows by `N` activation rows.
CK_INLINE void ck_wide64(const uint32_t type, const int N, size_t columns, const uint8_t *tile, const uint8_t *x,
                         size_t x_bytes, float *y, size_t y_stride) {
  const size_t bytes = 288;
  __m512 sums[CK_TILE];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm512_setzero_ps();
  for (size_t b = 0; b < columns / 32; b += 2, tile += bytes) {
    ck_prefetch(tile + CK_AHEAD, bytes);
    const __m512 d = _mm512_mul_ps(ck_halves16(tile), _mm512_set1_ps(0.0625f));
#pragma clang loop unroll(full)
    for (int half = 0; half < 2; half++) {
      __m512i dots[CK_TILE];
      ck_wide_dots_q2_B(N, half, tile + 32, x, x_bytes, columns, b + half, dots);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const __m512 scale = _mm512_mul_ps(d, _mm512_set1_ps(ck_scales(x + n * x_bytes)[b + half]));
        sums[n] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[n]), scale, sums[n]);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) _mm512_storeu_ps(y + n * y_stride, sums[n]);
}

#endif
