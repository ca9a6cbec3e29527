// Products with weights in blocks of 256, for AVX2.
#ifndef CKERNELS_AVX2_BLOCKS256_H
#define CKERNELS_AVX2_BLOCKS256_H

#include "avx2_blocks32.h"

/// What a block multiplies its codes with, in 16 bits: the scales of even groups of 16 before those of odd
/// ones, so that each is in the half whose codes it is for; the mins in their order.
typedef struct {
  float d, dmin;
  __m256i scales, mins;
} ck_heading;

CK_INLINE __m128i ck_even_odd(__m128i bytes) {
  return _mm_shuffle_epi8(bytes, _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
}

CK_INLINE ck_heading ck_heading_q2(const uint8_t *block) {
  __m128i packed = _mm_loadu_si128((const __m128i *)block);
  __m128i nibble = _mm_set1_epi8(15);
  ck_heading h = {.d = ck_half_at(block + 80), .dmin = ck_half_at(block + 82)};
  h.scales = _mm256_cvtepu8_epi16(ck_even_odd(_mm_and_si128(packed, nibble)));
  h.mins = _mm256_cvtepu8_epi16(_mm_and_si128(_mm_srli_epi16(packed, 4), nibble));
  return h;
}

CK_INLINE ck_heading ck_heading_q3(const uint8_t *block) {
  uint32_t words[4];
  ck_scales_q3(block + 96, words);
  __m128i bytes = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)words), _mm_set1_epi8(32));
  ck_heading h = {.d = ck_half_at(block + 108)};
  h.dmin = h.d;
  h.scales = _mm256_cvtepi8_epi16(ck_even_odd(bytes));
  h.mins = _mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 2);
  return h;
}

CK_INLINE ck_heading ck_heading_q45(const uint8_t *block) {
  uint32_t scales[2], mins[2];
  ck_scales_6bit(block + 4, scales, mins);
  ck_heading h = {.d = ck_half_at(block), .dmin = ck_half_at(block + 2)};
  __m128i s = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)scales));
  __m128i m = _mm_loadl_epi64((const __m128i *)mins);
  h.scales = _mm256_broadcastsi128_si256(s);
  h.mins = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(m, m));
  return h;
}

CK_INLINE ck_heading ck_heading_q6(const uint8_t *block) {
  ck_heading h = {.d = ck_half_at(block + 208)};
  h.dmin = h.d;
  __m128i bytes = _mm_loadu_si128((const __m128i *)(block + 192));
  h.scales = _mm256_cvtepi8_epi16(ck_even_odd(bytes));
  h.mins = _mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 5);
  return h;
}

/// Twice 16 scales and one: those of even groups of 16 in the lower half.
CK_INLINE __m256i ck_odd_scales(__m128i even, __m128i odd) {
  const __m256i both = _mm256_set_m128i(odd, even);
  return _mm256_or_si256(_mm256_slli_epi16(both, 1), _mm256_set1_epi16(1));
}

CK_INLINE ck_heading ck_heading_grid(const uint32_t type, const uint8_t *block) {
  ck_heading h = {.d = ck_half_at(block) * ck_grid_scale(type)};
  const __m128i nibble = _mm_set1_epi8(15);
  __m128i even, odd;
  if (type == CK_IQ2_XS || type == CK_IQ2_S) {
    const __m128i packed = _mm_loadl_epi64((const __m128i *)(block + ck_block_bytes(type) - 8));
    even = _mm_cvtepu8_epi16(_mm_and_si128(packed, nibble));
    odd = _mm_cvtepu8_epi16(_mm_and_si128(_mm_srli_epi16(packed, 4), nibble));
  } else if (type == CK_IQ3_S) {
    const __m128i packed = _mm_cvtsi32_si128((int)ck_word(block + 106));
    const __m128i high = _mm_and_si128(_mm_srli_epi16(packed, 4), nibble);
    even = odd = _mm_cvtepu8_epi16(_mm_unpacklo_epi8(_mm_and_si128(packed, nibble), high));
  } else {
    int16_t scales[8];
    for (int g = 0; g < 8; g++) scales[g] = block[type == CK_IQ2_XXS ? 9 + 8 * g : 69 + 4 * g] >> 4;
    even = odd = _mm_loadu_si128((const __m128i *)scales);
  }
  h.scales = ck_odd_scales(even, odd);
  return h;
}

CK_INLINE ck_heading ck_heading_iq4(const uint8_t *block) {
  ck_heading h = {.d = ck_half_at(block)};
  int16_t scales[8];
  for (int g = 0; g < 8; g++) scales[g] = ck_iq4_scale(block, g);
  h.scales = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)scales));
  return h;
}

CK_INLINE ck_heading ck_heading_tq2(const uint8_t *block) {
  ck_heading h = {.d = ck_half_at(block + 64)};
  h.scales = _mm256_set1_epi16(1);
  return h;
}

CK_INLINE ck_heading ck_heading_of(const uint32_t type, const uint8_t *block) {
  if (ck_has_grid(type)) return ck_heading_grid(type, block);
  switch (type) {
    case CK_IQ4_XS: return ck_heading_iq4(block);
    case CK_TQ2_0: return ck_heading_tq2(block);
    case CK_Q2_K: return ck_heading_q2(block);
    case CK_Q3_K: return ck_heading_q3(block);
    case CK_Q6_K: return ck_heading_q6(block);
    default: return ck_heading_q45(block);
  }
}

CK_INLINE __m256i ck_bytes32(const uint8_t *bytes) {
  return _mm256_loadu_si256((const __m256i *)bytes);
}

/// `bytes` >> shift & mask, byte by byte; bits that cross a byte are masked off.
CK_INLINE __m256i ck_field(__m256i bytes, const int shift, const int mask) {
  return _mm256_and_si256(_mm256_srli_epi16(bytes, shift), _mm256_set1_epi8((char)mask));
}

/// Bit `bit` of each byte, moved to bit `to` of the code.
CK_INLINE __m256i ck_high_bit(__m256i bytes, const int bit, const int to) {
  __m256i one = _mm256_and_si256(bytes, _mm256_set1_epi8((char)(1 << bit)));
  return bit > to ? _mm256_srli_epi16(one, bit - to) : _mm256_slli_epi16(one, to - bit);
}

/// Types whose codes have signs.
CK_INLINE bool ck_has_signs(const uint32_t type) { return type == CK_IQ4_XS || type == CK_TQ2_0 || ck_has_grid(type); }

/// 32 sizes with their signs.
CK_INLINE __m256i ck_codes_grid(const uint32_t type, const uint8_t *block, const int g) {
  uint64_t points[4];
  uint32_t signs;
  ck_grid_group(type, block, g, points, &signs);
  const __m256i negative = _mm256_cmpeq_epi8(ck_fifth_bits(signs), _mm256_set1_epi8(16));
  const __m256i sizes = ck_bytes32((const uint8_t *)points);
  return _mm256_sub_epi8(_mm256_xor_si256(sizes, negative), negative);
}

/// The 32 codes of group `g`, unsigned unless ck_has_signs.
CK_INLINE __m256i ck_codes256(const uint32_t type, const uint8_t *block, const int g) {
  if (ck_has_grid(type)) return ck_codes_grid(type, block, g);
  switch (type) {
    case CK_IQ4_XS: {
      const __m128i packed = _mm_loadu_si128((const __m128i *)(block + 8 + g * 16));
      const __m256i both = _mm256_set_m128i(_mm_srli_epi16(packed, 4), packed);
      return ck_looked_up(type, _mm256_and_si256(both, _mm256_set1_epi8(15)));
    }
    case CK_TQ2_0:
      return _mm256_sub_epi8(ck_field(ck_bytes32(block + g / 4 * 32), g % 4 * 2, 3), _mm256_set1_epi8(1));
    case CK_Q2_K: return ck_field(ck_bytes32(block + 16 + g / 4 * 32), g % 4 * 2, 3);
    case CK_Q3_K:
      return _mm256_or_si256(ck_field(ck_bytes32(block + 32 + g / 4 * 32), g % 4 * 2, 3),
                             ck_high_bit(ck_bytes32(block), g, 2));
    case CK_Q4_K: return ck_field(ck_bytes32(block + 16 + g / 2 * 32), g % 2 * 4, 15);
    case CK_Q5_K:
      return _mm256_or_si256(ck_field(ck_bytes32(block + 48 + g / 2 * 32), g % 2 * 4, 15),
                             ck_high_bit(ck_bytes32(block + 16), g, 4));
    default: {
      __m256i low = ck_bytes32(block + g / 4 * 64 + g % 2 * 32);
      __m256i high = ck_field(ck_bytes32(block + 128 + g / 4 * 32), g % 4 * 2, 3);
      return _mm256_or_si256(ck_field(low, g % 4 / 2 * 4, 15), _mm256_slli_epi16(high, 4));
    }
  }
}

/// The two scales of group `g`, each over the 16-bit lanes of its half.
CK_INLINE __m256i ck_group_scales(__m256i scales, const int g) {
  return _mm256_shuffle_epi8(scales, _mm256_set1_epi16((short)(2 * g | (2 * g + 1) << 8)));
}

/// What the mins of a block add to `sum`: a lane per 32 columns, which have one scale of activations.
CK_INLINE __m256 ck_block_mins(const ck_heading *h, const uint8_t *x, size_t columns, size_t b, __m256 sum) {
  const __m256i halves = _mm256_loadu_si256((const __m256i *)(ck_half_sums(x, columns) + b * 16));
  const __m256 offsets = _mm256_cvtepi32_ps(_mm256_madd_epi16(h->mins, halves));
  const __m256 scales = _mm256_mul_ps(_mm256_loadu_ps(ck_scales(x) + b * 8), _mm256_set1_ps(h->dmin));
  return _mm256_fnmadd_ps(offsets, scales, sum);
}

/// `R` weight rows by `N` activation rows, R * N <= 8.
CK_INLINE void ck_rows256(const uint32_t type, const int R, const int N, size_t columns,
                          const uint8_t *weights, size_t row_bytes, const uint8_t *x, size_t x_bytes,
                          float *y, size_t y_stride) {
  const size_t blocks = columns / 256, size = ck_block_bytes(type);
  __m256 sums[CK_TILE];
#pragma clang loop unroll(full)
  for (int i = 0; i < R * N; i++) sums[i] = _mm256_setzero_ps();
  for (size_t b = 0; b < blocks; b++) {
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
      const uint8_t *block = weights + r * row_bytes + b * size;
      const ck_heading heading = ck_heading_of(type, block);
      __m256 products[CK_TILE];
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) products[n] = _mm256_setzero_ps();
#pragma clang loop unroll(full)
      for (int g = 0; g < 8; g++) {
        const __m256i codes = ck_codes256(type, block, g);
        const __m256i scales = ck_group_scales(heading.scales, g);
#pragma clang loop unroll(full)
        for (int n = 0; n < N; n++) {
          const uint8_t *row = x + n * x_bytes;
          const int8_t *q = ck_values(row, columns) + b * 256 + g * 32;
          const __m256i four = ck_bytes32((const uint8_t *)q);
          const __m256i pairs = ck_has_signs(type)
                                    ? _mm256_maddubs_epi16(_mm256_abs_epi8(codes), _mm256_sign_epi8(four, codes))
                                    : _mm256_maddubs_epi16(codes, four);
          products[n] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, scales)),
                                        _mm256_broadcast_ss(ck_scales(row) + b * 8 + g), products[n]);
        }
      }
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const __m256 sum = _mm256_fmadd_ps(products[n], _mm256_set1_ps(heading.d), sums[r * N + n]);
        // The middle code of Q3_K and Q6_K is a min, too.
        sums[r * N + n] = ck_has_signs(type) ? sum : ck_block_mins(&heading, x + n * x_bytes, columns, b, sum);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < R * N; i++) {
    f8 total = (f8)sums[i];
    y[i % N * y_stride + i / N] = ck_sum8(&total);
  }
}

#endif
