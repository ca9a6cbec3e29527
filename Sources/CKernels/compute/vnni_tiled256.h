// Products with tiles of 16 rows of weights in blocks of 256, for AVX-512 with VNNI; see tiled.h.
//
// Sums of products times their scales stay below 2^24 (Q6_K: 16,516,096), so floats hold them exactly, and a float product
// is cheaper than one of 32-bit integers.
#ifndef CKERNELS_VNNI_TILED256_H
#define CKERNELS_VNNI_TILED256_H

#include "vnni_tiled32.h"

/// What a block of 16 rows multiplies its codes with, one byte per row and group.
typedef struct {
  uint8_t scales[256], mins[256];
} ck_wide_heading;

CK_INLINE void ck_store64(uint8_t *to, __m512i bytes) { _mm512_storeu_si512(to, bytes); }

/// `bytes` >> shift & mask, byte by byte; bits that cross a byte are masked off.
CK_INLINE __m512i ck_field64(__m512i bytes, const int shift, const int mask) {
  return _mm512_and_si512(shift ? _mm512_srli_epi16(bytes, shift) : bytes, _mm512_set1_epi8((char)mask));
}

CK_INLINE void ck_wide_heading_q4(const uint8_t *packed, ck_wide_heading *h) {
  const __m512i a = ck_bytes64(packed), b = ck_bytes64(packed + 64), c = ck_bytes64(packed + 128);
  ck_store64(h->scales, ck_field64(a, 0, 63));
  ck_store64(h->scales + 64, _mm512_or_si512(ck_field64(c, 0, 15), ck_field64(a, 2, 0x30)));
  ck_store64(h->mins, ck_field64(b, 0, 63));
  ck_store64(h->mins + 64, _mm512_or_si512(ck_field64(c, 4, 15), ck_field64(b, 2, 0x30)));
}

CK_INLINE void ck_wide_heading_q2(const uint8_t *both, ck_wide_heading *h) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 256; i += 64) {
    ck_store64(h->scales + i, ck_field64(ck_bytes64(both + i), 0, 15));
    ck_store64(h->mins + i, ck_field64(ck_bytes64(both + i), 4, 15));
  }
}

/// 6-bit scales from nibbles and the bits above them, less 32.
CK_INLINE __m512i ck_wide_signed_q3(__m512i nibbles, __m512i bits, const int shift) {
  const __m512i high = _mm512_slli_epi16(ck_field64(bits, shift, 3), 4);
  return _mm512_sub_epi8(_mm512_or_si512(nibbles, high), _mm512_set1_epi8(32));
}

CK_INLINE void ck_wide_heading_q3(const uint8_t *packed, ck_wide_heading *h) {
  const __m512i a = ck_bytes64(packed), b = ck_bytes64(packed + 64), c = ck_bytes64(packed + 128);
  ck_store64(h->scales, ck_wide_signed_q3(ck_field64(a, 0, 15), c, 0));
  ck_store64(h->scales + 64, ck_wide_signed_q3(ck_field64(b, 0, 15), c, 2));
  ck_store64(h->scales + 128, ck_wide_signed_q3(ck_field64(a, 4, 15), c, 4));
  ck_store64(h->scales + 192, ck_wide_signed_q3(ck_field64(b, 4, 15), c, 6));
}

CK_INLINE void ck_wide_heading_iq4(const uint8_t *tile, ck_wide_heading *h) {
  const __m256i high = _mm256_loadu_si256((const __m256i *)(tile + 32));
#pragma clang loop unroll(full)
  for (int g = 0; g < 8; g++) {
    const __m256i packed = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(tile + 64 + g / 2 * 16)));
    const __m256i low = _mm256_and_si256(_mm256_srli_epi16(packed, g % 2 * 4), _mm256_set1_epi16(15));
    const __m256i two = _mm256_slli_epi16(_mm256_and_si256(_mm256_srli_epi16(high, 2 * g), _mm256_set1_epi16(3)), 4);
    const __m256i scales = _mm256_sub_epi16(_mm256_or_si256(low, two), _mm256_set1_epi16(32));
    _mm_storeu_si128((__m128i *)(h->scales + 16 * g), _mm256_cvtepi16_epi8(scales));
  }
}

/// A byte of each row in 32-bit lanes.
CK_INLINE __m512i ck_widen32(const uint32_t type, const uint8_t *bytes) {
  const __m128i b = _mm_loadu_si128((const __m128i *)bytes);
  return ck_is_signed(type) ? _mm512_cvtepi8_epi32(b) : _mm512_cvtepu8_epi32(b);
}

/// The codes of 4 columns of 16 rows, those from `g` * 32 + `k` * 4 on.
CK_INLINE __m512i ck_wide_codes256(const uint32_t type, const uint8_t *words, const int g, const int k) {
  if (type == CK_Q4_K) return ck_field64(ck_bytes64(words + (g / 2 * 8 + k) * 64), g % 2 * 4, 15);
  if (type == CK_Q2_K) return ck_field64(ck_bytes64(words + (g / 4 * 8 + k) * 64), g % 4 * 2, 3);
  if (type == CK_Q5_K)
    return _mm512_or_si512(ck_field64(ck_bytes64(words + (8 + g / 2 * 8 + k) * 64), g % 2 * 4, 15),
                           ck_moved_bit64(ck_bytes64(words + k * 64), g, 4));
  if (type == CK_Q3_K)
    return _mm512_or_si512(ck_field64(ck_bytes64(words + (8 + g / 4 * 8 + k) * 64), g % 4 * 2, 3),
                           ck_moved_bit64(ck_bytes64(words + k * 64), g, 2));
  const __m512i low = ck_bytes64(words + (g / 4 * 16 + g % 2 * 8 + k) * 64);
  const __m512i high = ck_bytes64(words + (32 + g / 4 * 8 + k) * 64);
  // Bits 4 and 5, taken where they are moved to.
  const int by = g % 4 * 2 - 4;
  const __m512i moved = by < 0 ? _mm512_slli_epi16(high, -by) : _mm512_srli_epi16(high, by);
  return _mm512_or_si512(ck_field64(low, g % 4 / 2 * 4, 15), ck_field64(moved, 0, 48));
}

/// products += the products of columns `g` * 32 + (0..<32), times all scales but d.
CK_INLINE void ck_wide_dots256(const uint32_t type, const int N, const uint8_t *scales, const int g, const uint8_t *words,
                               const uint8_t *x, size_t x_bytes, size_t columns, size_t b, __m512 products[CK_TILE]) {
  const uint8_t *first = scales + (ck_is_wide(type) ? g : 2 * g) * 16;
  const __m512 scale[2] = {_mm512_cvtepi32_ps(ck_widen32(type, first)),
                           _mm512_cvtepi32_ps(ck_widen32(type, first + (ck_is_signed(type) ? 16 : 0)))};
  __m512i dots[2][CK_TILE];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) {
    dots[0][n] = dots[1][n] = _mm512_setzero_si512();
    if (ck_is_signed(type)) {
      // A code of 0 stands for -4 or -32: of each half's activations.
      const int zero = type == CK_Q3_K ? 0xfffc : 0xffe0;
      const __m512i halves = ck_four16((const int8_t *)(ck_half_sums(x + n * x_bytes, columns) + b * 16 + 2 * g));
      dots[0][n] = _mm512_madd_epi16(halves, _mm512_set1_epi32(zero));
      dots[1][n] = _mm512_madd_epi16(halves, _mm512_set1_epi32((int)((uint32_t)zero << 16)));
    }
  }
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    __m512i codes = ck_wide_codes256(type, words, g, k);
    if (type == CK_Q2_K) {
      // At most 45, so a 16-bit product is that of both bytes.
      const __m512i all = _mm512_mullo_epi32(ck_widen32(type, first + k / 4 * 16), _mm512_set1_epi32(0x00010001));
      codes = _mm512_mullo_epi16(codes, all);
    }
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const int8_t *q = ck_values(x + n * x_bytes, columns) + b * 256 + g * 32 + k * 4;
      const int half = ck_is_signed(type) ? k / 4 : 0;
      dots[half][n] = _mm512_dpbusd_epi32(dots[half][n], codes, ck_four16(q));
      CK_IN_ORDER16(dots[half][n]);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) {
    const __m512 x_scale = _mm512_set1_ps(ck_scales(x + n * x_bytes)[b * 8 + g]);
    __m512 dot = _mm512_cvtepi32_ps(dots[0][n]);
    if (type != CK_Q2_K) dot = _mm512_mul_ps(dot, scale[0]);
    if (ck_is_signed(type)) dot = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[1][n]), scale[1], dot);
    products[n] = g == 0 ? _mm512_mul_ps(dot, x_scale) : _mm512_fmadd_ps(dot, x_scale, products[n]);
    CK_IN_ORDER16(products[n]);
  }
}

/// The same for IQ4_XS and TQ2_0, whose codes are 128 or 1 above what they stand for.
CK_INLINE void ck_wide_dots_offset(const uint32_t type, const int N, const uint8_t *scales, const int g,
                                   const uint8_t *words, const uint8_t *x, size_t x_bytes, size_t columns, size_t b,
                                   __m512 products[CK_TILE]) {
  __m512i dots[CK_TILE];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) {
    const __m512i offset = _mm512_set1_epi32(ck_offsets(x + n * x_bytes, columns)[b * 8 + g]);
    dots[n] = type == CK_IQ4_XS ? _mm512_slli_epi32(offset, 4) : _mm512_srai_epi32(offset, 3);
  }
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const __m512i codes =
        type == CK_IQ4_XS
            ? ck_looked_up64(type, ck_field64(ck_bytes64(words + (g * 4 + k % 4) * 64), k / 4 * 4, 15))
            : ck_field64(ck_bytes64(words + (g / 4 * 8 + k) * 64), g % 4 * 2, 3);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const int8_t *q = ck_values(x + n * x_bytes, columns) + b * 256 + g * 32 + k * 4;
      dots[n] = _mm512_dpbusd_epi32(dots[n], codes, ck_four16(q));
      CK_IN_ORDER16(dots[n]);
    }
  }
  const __m512 scale = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(scales + g * 16))));
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) {
    const __m512 x_scale = _mm512_set1_ps(ck_scales(x + n * x_bytes)[b * 8 + g]);
    __m512 dot = _mm512_cvtepi32_ps(dots[n]);
    if (type == CK_IQ4_XS) dot = _mm512_mul_ps(dot, scale);
    products[n] = g == 0 ? _mm512_mul_ps(dot, x_scale) : _mm512_fmadd_ps(dot, x_scale, products[n]);
    CK_IN_ORDER16(products[n]);
  }
}

/// What the mins of a block add for each activation row, before dmin.
CK_INLINE void ck_wide_mins(const uint32_t type, const int N, const uint8_t *mins, const uint8_t *x, size_t x_bytes,
                            size_t columns, size_t b, __m512 offsets[CK_TILE]) {
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) offsets[n] = _mm512_setzero_ps();
#pragma clang loop unroll(full)
  for (int g = 0; g < 8; g++) {
    const __m512i first = ck_widen32(type, mins + (ck_is_wide(type) ? g : 2 * g) * 16);
    const __m512i second = ck_is_wide(type) ? first : ck_widen32(type, mins + (2 * g + 1) * 16);
    const __m512i both = _mm512_or_si512(first, _mm512_slli_epi32(second, 16));
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const uint8_t *row = x + n * x_bytes;
      const size_t at = b * 8 + g;
      if (ck_is_wide(type)) {
        const __m512 total = _mm512_set1_ps(ck_totals(row, columns)[at]);
        offsets[n] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(first), total, offsets[n]);
      } else {
        const __m512i sum = _mm512_madd_epi16(both, ck_four16((const int8_t *)(ck_half_sums(row, columns) + 2 * at)));
        offsets[n] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), _mm512_set1_ps(ck_scales(row)[at]), offsets[n]);
      }
    }
  }
}

/// 16 weight rows by `N` activation rows.
CK_INLINE void ck_wide256(const uint32_t type, const int N, size_t columns, const uint8_t *tile, const uint8_t *x,
                          size_t x_bytes, float *y, size_t y_stride) {
  const size_t words = 2 * ck_words(type), bytes = CK_WIDE_TILE_ROWS * ck_block_bytes(type);
  __m512 sums[CK_TILE];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm512_setzero_ps();
  for (size_t b = 0; b < columns / 256; b++, tile += bytes) {
    ck_wide_heading h;
    if (ck_is_wide(type)) ck_wide_heading_q4(tile + 64, &h);
    if (type == CK_Q3_K) ck_wide_heading_q3(tile + 32, &h);
    if (type == CK_Q2_K) ck_wide_heading_q2(tile + 64, &h);
    if (type == CK_IQ4_XS) ck_wide_heading_iq4(tile, &h);
    const uint8_t *scales = type == CK_Q6_K ? tile + 32 : h.scales;
    const __m512 d = ck_halves16(tile);
    __m512 products[CK_TILE], offsets[CK_TILE];
#pragma clang loop unroll(full)
    for (int g = 0; g < 8; g++) {
      ck_prefetch_part(tile + CK_AHEAD, bytes, g);
      if (type == CK_IQ4_XS || type == CK_TQ2_0) {
        ck_wide_dots_offset(type, N, scales, g, tile + words, x, x_bytes, columns, b, products);
      } else {
        ck_wide_dots256(type, N, scales, g, tile + words, x, x_bytes, columns, b, products);
      }
    }
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) sums[n] = _mm512_fmadd_ps(products[n], d, sums[n]);
    if (!ck_has_mins(type)) continue;
    ck_wide_mins(type, N, h.mins, x, x_bytes, columns, b, offsets);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) sums[n] = _mm512_fnmadd_ps(offsets[n], ck_halves16(tile + 32), sums[n]);
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) _mm512_storeu_ps(y + n * y_stride, sums[n]);
}

#endif
