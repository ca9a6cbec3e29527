// Products with weights in blocks of 32, for AVX2.
#ifndef CKERNELS_AVX2_BLOCKS32_H
#define CKERNELS_AVX2_BLOCKS32_H

#include "blocks.h"

enum { CK_PANEL = 32 };  // blocks whose scales are held at once

/// All bytes of `bits`, one per bit: 16 where it is set.
CK_INLINE __m256i ck_fifth_bits(uint32_t bits) {
  const __m256i spread = _mm256_setr_epi64x(0x0000000000000000, 0x0101010101010101,
                                            0x0202020202020202, 0x0303030303030303);
  const __m256i others = _mm256_set1_epi64x(0x7fbfdfeff7fbfdfe);
  __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), spread);
  __m256i set = _mm256_cmpeq_epi8(_mm256_or_si256(bytes, others), _mm256_set1_epi8(-1));
  return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

/// Codes 32 `half` (0 or 1) to 32 `half` + 31 of a block of Q2_B.
CK_INLINE __m256i ck_codes_q2_B(const uint8_t *block, size_t half) {
  const __m128i packed = _mm_loadu_si128((const __m128i *)(block + 2));
  const __m128i low = half ? _mm_srli_epi16(packed, 4) : packed;
  return _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(low, 2), low), _mm256_set1_epi8(3));
}

/// The same of Q2_0.
CK_INLINE __m256i ck_codes_q2_0(const uint8_t *block, size_t half) {
  const __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(block + 2 + half * 8)));
  const __m256i pairs = _mm256_or_si256(bytes, _mm256_slli_epi32(bytes, 12));
  return _mm256_and_si256(_mm256_or_si256(pairs, _mm256_slli_epi32(pairs, 6)), _mm256_set1_epi8(3));
}

/// What codes of four bits stand for.
CK_INLINE __m256i ck_looked_up(const uint32_t type, __m256i codes) {
  const __m128i values = _mm_loadu_si128((const __m128i *)ck_code_values(type));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), codes);
}

/// Half of 2^(exponent - 127) of 8 bytes; those below 2 give what is no normal number.
CK_INLINE __m256 ck_powers8(const uint8_t *bytes) {
  const __m256i exponents = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)bytes));
  const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(exponents, _mm256_set1_epi32(1)), 23);
  const __m256i tiny = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), exponents);
  const __m256i is_tiny = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), exponents);
  return _mm256_castsi256_ps(_mm256_blendv_epi8(normal, tiny, is_tiny));
}

CK_INLINE __m256i ck_codes32(const uint32_t type, const uint8_t *block, size_t half) {
  if (type == CK_Q8_0) return _mm256_loadu_si256((const __m256i *)(block + 2));
  if (type == CK_Q2_B) return ck_codes_q2_B(block, half);
  if (type == CK_Q2_0) return ck_codes_q2_0(block, half);
  const uint8_t *codes = block + ck_block_bytes(type) - 16;
  __m128i packed = _mm_loadu_si128((const __m128i *)codes);
  __m256i both = _mm256_set_m128i(_mm_srli_epi16(packed, 4), packed);
  both = _mm256_and_si256(both, _mm256_set1_epi8(15));
  if (ck_code_values(type)) return ck_looked_up(type, both);
  if (type == CK_Q5_0 || type == CK_Q5_1)
    both = _mm256_or_si256(both, ck_fifth_bits(ck_word(codes - 4)));
  return both;
}

/// Eight partial sums of 32 products. The signs of signed codes move to the activations.
CK_INLINE __m256i ck_products32(const uint32_t type, __m256i codes, __m256i x) {
  __m256i pairs = ck_has_offset(type)
                      ? _mm256_maddubs_epi16(codes, x)
                      : _mm256_maddubs_epi16(_mm256_abs_epi8(codes), _mm256_sign_epi8(x, codes));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/// Scales and offsets of `count` blocks, `size` bytes apart, padded with zeros to a multiple of 8.
CK_INLINE void ck_panel_scales(const uint32_t type, const uint8_t *block, size_t size, size_t count,
                               float *d, float *m) {
  if (type == CK_MXFP4) {
    uint8_t exponents[CK_PANEL] = {0};
    for (size_t b = 0; b < count; b++) exponents[b] = block[b * size];
    for (size_t b = 0; b < count; b += 8) _mm256_storeu_ps(d + b, ck_powers8(exponents + b));
    return;
  }
  uint16_t scales[CK_PANEL], offsets[CK_PANEL];
  for (size_t b = 0; b < count; b++) {
    memcpy(&scales[b], block + ck_index32(type, b) * size, 2);
    if (type == CK_Q4_1 || type == CK_Q5_1) memcpy(&offsets[b], block + b * size + 2, 2);
  }
  for (size_t b = count; b < ck_padded(count); b++) scales[b] = offsets[b] = 0;
  for (size_t b = 0; b < count; b += 8) {
    const __m256 scale = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(scales + b)));
    _mm256_storeu_ps(d + b, scale);
    if (type == CK_Q4_0) _mm256_storeu_ps(m + b, _mm256_mul_ps(scale, _mm256_set1_ps(-8)));
    if (type == CK_Q2_B) _mm256_storeu_ps(m + b, _mm256_mul_ps(scale, _mm256_set1_ps(-1.5f)));
    if (type == CK_Q2_0) _mm256_storeu_ps(m + b, _mm256_mul_ps(scale, _mm256_set1_ps(-1)));
    if (type == CK_Q5_0) _mm256_storeu_ps(m + b, _mm256_mul_ps(scale, _mm256_set1_ps(-16)));
    if (type == CK_Q4_1 || type == CK_Q5_1)
      _mm256_storeu_ps(m + b, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(offsets + b))));
  }
}

/// Scale products of a panel, and what the offsets add to `sum`.
CK_INLINE __m256 ck_panel32(const uint32_t type, const float *d, const float *m, const float *x_d,
                            const float *x_sum, size_t padded, float *product, __m256 sum) {
  for (size_t b = 0; b < padded; b += 8) {
    _mm256_storeu_ps(product + b, _mm256_mul_ps(_mm256_loadu_ps(d + b), _mm256_loadu_ps(x_d + b)));
    if (ck_has_offset(type))
      sum = _mm256_fmadd_ps(_mm256_loadu_ps(m + b), _mm256_loadu_ps(x_sum + b), sum);
  }
  return sum;
}

/// `R` weight rows by `N` activation rows, R * N <= 8.
CK_INLINE void ck_rows32(const uint32_t type, const int R, const int N, size_t columns,
                         const uint8_t *weights, size_t row_bytes, const uint8_t *x, size_t x_bytes,
                         float *y, size_t y_stride) {
  const size_t blocks = columns / 32, size = ck_block_bytes(type);
  __m256 sums[CK_TILE], offsets[CK_TILE];
#pragma clang loop unroll(full)
  for (int i = 0; i < R * N; i++) sums[i] = offsets[i] = _mm256_setzero_ps();
  for (size_t first = 0; first < blocks; first += CK_PANEL) {
    const size_t count = blocks - first < CK_PANEL ? blocks - first : CK_PANEL;
    float product[CK_TILE][CK_PANEL];
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
      float d[CK_PANEL], m[CK_PANEL];
      const uint8_t *block = weights + r * row_bytes + ck_index32(type, first) * size;
      ck_panel_scales(type, block, size, count, d, m);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const uint8_t *row = x + n * x_bytes;
        offsets[r * N + n] = ck_panel32(type, d, m, ck_scales(row) + first,
                                        ck_totals(row, columns) + first, ck_padded(count),
                                        product[r * N + n], offsets[r * N + n]);
      }
    }
    for (size_t b = 0; b < count; b++) {
#pragma clang loop unroll(full)
      for (int r = 0; r < R; r++) {
        const uint8_t *block = weights + r * row_bytes + ck_index32(type, first + b) * size;
        const __m256i codes = ck_codes32(type, block, b % 2);
#pragma clang loop unroll(full)
        for (int n = 0; n < N; n++) {
          const int8_t *q = ck_values(x + n * x_bytes, columns) + (first + b) * 32;
          const __m256i dot = ck_products32(type, codes, _mm256_loadu_si256((const __m256i *)q));
          sums[r * N + n] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot),
                                            _mm256_broadcast_ss(&product[r * N + n][b]),
                                            sums[r * N + n]);
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < R * N; i++) {
    f8 total = (f8)_mm256_add_ps(sums[i], offsets[i]);
    y[i % N * y_stride + i / N] = ck_sum8(&total);
  }
}

#endif
