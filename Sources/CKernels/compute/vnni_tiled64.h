// Products with tiles of 16 rows of weights in blocks of 64, for AVX-512 with VNNI; see tiled.h.
#ifndef CKERNELS_VNNI_TILED64_H
#define CKERNELS_VNNI_TILED64_H

#include "vnni_tiled32.h"

/// 16 times the codes of 4 columns of 16 rows: the two bits where 16 times their value stands in the byte.
CK_INLINE __m512i ck_wide_codes_q2_B(const uint8_t *words, const int half, const int k) {
  const __m512i bytes = ck_bytes64(words + k % 4 * 64);
  const int shift = half * 4 + k / 4 * 2 - 4;
  const __m512i moved = shift < 0 ? _mm512_slli_epi16(bytes, -shift) : _mm512_srli_epi16(bytes, shift);
  return _mm512_and_si512(shift ? moved : bytes, _mm512_set1_epi8(0x30));
}

/// 16 weight rows by `N` activation rows.
CK_INLINE void ck_wide64(const uint32_t type, const int N, size_t columns, const uint8_t *tile, const uint8_t *x,
                         size_t x_bytes, float *y, size_t y_stride) {
  const size_t bytes = 288;
  __m512 sums[CK_TILE];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm512_setzero_ps();
  for (size_t b = 0; b < columns / 32; b += 2, tile += bytes) {
    const __m512 d = _mm512_mul_ps(ck_halves16(tile), _mm512_set1_ps(0.0625f));
    ck_prefetch(tile + CK_AHEAD, bytes);
#pragma clang loop unroll(full)
    for (int half = 0; half < 2; half++) {
      __m512i dots[CK_TILE];
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        // Codes are 1.5 or 1 above what they stand for: 16 dot - 24 sum, or 16 dot - 16 sum.
        const int16_t *halves = ck_half_sums(x + n * x_bytes, columns) + 2 * (b + half);
        dots[n] = _mm512_madd_epi16(ck_four16((const int8_t *)halves), _mm512_set1_epi16(type == CK_Q2_0 ? -16 : -24));
      }
#pragma clang loop unroll(full)
      for (int k = 0; k < 8; k++) {
        const __m512i codes = ck_wide_codes_q2_B(tile + 32, half, k);
#pragma clang loop unroll(full)
        for (int n = 0; n < N; n++) {
          const int8_t *q = ck_values(x + n * x_bytes, columns) + (b + half) * 32 + k * 4;
          dots[n] = _mm512_dpbusd_epi32(dots[n], codes, ck_four16(q));
          CK_IN_ORDER16(dots[n]);
        }
      }
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
