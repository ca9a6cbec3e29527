// Products with tiles of weights in blocks of 256, for AVX2; see tiled.h.
#ifndef CKERNELS_AVX2_TILED256_H
#define CKERNELS_AVX2_TILED256_H

#include "avx2_tiled32.h"

/// What a block of 8 rows multiplies its codes with, one byte per row and group.
typedef struct {
  __m256 d, dmin;
  uint8_t scales[128], mins[128];
} ck_tile_heading;

CK_INLINE void ck_store32(uint8_t *to, __m256i bytes) { _mm256_storeu_si256((__m256i *)to, bytes); }

CK_INLINE void ck_tile_heading_q4(const uint8_t *block, ck_tile_heading *h) {
  h->d = ck_halves8(block);
  h->dmin = ck_halves8(block + 16);
  const __m256i a = ck_bytes32(block + 32), b = ck_bytes32(block + 64), c = ck_bytes32(block + 96);
  const __m256i six = _mm256_set1_epi8(63), high = _mm256_set1_epi8(0x30);
  ck_store32(h->scales, _mm256_and_si256(a, six));
  ck_store32(h->scales + 32, _mm256_or_si256(ck_field(c, 0, 15),
                                             _mm256_and_si256(_mm256_srli_epi16(a, 2), high)));
  ck_store32(h->mins, _mm256_and_si256(b, six));
  ck_store32(h->mins + 32, _mm256_or_si256(ck_field(c, 4, 15),
                                           _mm256_and_si256(_mm256_srli_epi16(b, 2), high)));
}

CK_INLINE void ck_tile_heading_q2(const uint8_t *block, ck_tile_heading *h) {
  h->d = ck_halves8(block);
  h->dmin = ck_halves8(block + 16);
#pragma clang loop unroll(full)
  for (int i = 0; i < 128; i += 32) {
    const __m256i both = ck_bytes32(block + 32 + i);
    ck_store32(h->scales + i, ck_field(both, 0, 15));
    ck_store32(h->mins + i, ck_field(both, 4, 15));
  }
}

/// Two 6-bit scales in a byte each from nibbles and the bits above them, less 32.
CK_INLINE __m256i ck_signed_scales_q3(__m256i nibbles, __m256i bits, const int shift) {
  const __m256i high = _mm256_slli_epi16(ck_field(bits, shift, 3), 4);
  return _mm256_sub_epi8(_mm256_or_si256(nibbles, high), _mm256_set1_epi8(32));
}

CK_INLINE void ck_tile_heading_q3(const uint8_t *block, ck_tile_heading *h) {
  h->d = ck_halves8(block);
  const __m256i a = ck_bytes32(block + 16), b = ck_bytes32(block + 48), c = ck_bytes32(block + 80);
  ck_store32(h->scales, ck_signed_scales_q3(ck_field(a, 0, 15), c, 0));
  ck_store32(h->scales + 32, ck_signed_scales_q3(ck_field(b, 0, 15), c, 2));
  ck_store32(h->scales + 64, ck_signed_scales_q3(ck_field(a, 4, 15), c, 4));
  ck_store32(h->scales + 96, ck_signed_scales_q3(ck_field(b, 4, 15), c, 6));
}

CK_INLINE void ck_tile_heading_q6(const uint8_t *block, ck_tile_heading *h) {
  h->d = ck_halves8(block);
  memcpy(h->scales, block + 16, 128);
}

CK_INLINE void ck_tile_heading_iq4(const uint8_t *block, ck_tile_heading *h) {
  h->d = ck_halves8(block);
  const __m128i high = _mm_loadu_si128((const __m128i *)(block + 16));
#pragma clang loop unroll(full)
  for (int g = 0; g < 8; g++) {
    const __m128i packed = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(block + 32 + g / 2 * 8)));
    const __m128i low = _mm_and_si128(_mm_srli_epi16(packed, g % 2 * 4), _mm_set1_epi16(15));
    const __m128i two = _mm_slli_epi16(_mm_and_si128(_mm_srli_epi16(high, 2 * g), _mm_set1_epi16(3)), 4);
    const __m128i scales = _mm_sub_epi16(_mm_or_si128(low, two), _mm_set1_epi16(32));
    _mm_storel_epi64((__m128i *)(h->scales + 8 * g), _mm_packs_epi16(scales, scales));
  }
}

CK_INLINE __m256i ck_widen16(const uint32_t type, __m128i bytes) {
  return ck_is_signed(type) ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
}

/// The bytes of two groups, row by row: (row 0 of a, row 0 of b, row 1 of a, ...) as 16-bit lanes.
CK_INLINE __m256i ck_pair16(const uint32_t type, const uint8_t *a, const uint8_t *b) {
  return ck_widen16(type, _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)a),
                                            _mm_loadl_epi64((const __m128i *)b)));
}

/// A byte per row as floats.
CK_INLINE __m256 ck_floats8(const uint8_t *bytes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)bytes)));
}

/// What the mins of a block add for each activation row, before dmin.
CK_INLINE void ck_tile_mins(const uint32_t type, const int N, const ck_tile_heading *h, const uint8_t *x,
                            size_t x_bytes, size_t columns, size_t b, __m256 offsets[CK_GROUP]) {
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) offsets[n] = _mm256_setzero_ps();
#pragma clang loop unroll(full)
  for (int g = 0; g < 8; g++) {
    const __m256i both = ck_pair16(type, h->mins + 16 * g, h->mins + 16 * g + 8);
    const __m256 mins = ck_floats8(h->mins + 8 * g);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const uint8_t *row = x + n * x_bytes;
      const size_t at = b * 8 + g;
      if (ck_is_wide(type)) {
        offsets[n] = _mm256_fmadd_ps(mins, _mm256_broadcast_ss(ck_totals(row, columns) + at), offsets[n]);
      } else {
        const __m256i sum = _mm256_madd_epi16(both, ck_four((const int8_t *)(ck_half_sums(row, columns) + 2 * at)));
        offsets[n] =
            _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), _mm256_broadcast_ss(ck_scales(row) + at), offsets[n]);
      }
    }
  }
}

/// The codes of 4 columns of 8 rows, those from `g` * 32 + `k` * 4 on.
CK_INLINE __m256i ck_tile_codes256(const uint32_t type, const uint8_t *words, const int g, const int k) {
  if (type == CK_Q4_K) return ck_field(ck_bytes32(words + (g / 2 * 8 + k) * 32), g % 2 * 4, 15);
  if (type == CK_Q2_K) return ck_field(ck_bytes32(words + (g / 4 * 8 + k) * 32), g % 4 * 2, 3);
  if (type == CK_Q5_K)
    return _mm256_or_si256(ck_field(ck_bytes32(words + (8 + g / 2 * 8 + k) * 32), g % 2 * 4, 15),
                           ck_moved_bit(ck_bytes32(words + k * 32), g, 4));
  if (type == CK_Q3_K)
    return _mm256_or_si256(ck_field(ck_bytes32(words + (8 + g / 4 * 8 + k) * 32), g % 4 * 2, 3),
                           ck_moved_bit(ck_bytes32(words + k * 32), g, 2));
  const __m256i low = ck_bytes32(words + (g / 4 * 16 + g % 2 * 8 + k) * 32);
  const __m256i high = ck_bytes32(words + (32 + g / 4 * 8 + k) * 32);
  // Bits 4 and 5, taken where they are moved to.
  const int by = g % 4 * 2 - 4;
  const __m256i moved = by < 0 ? _mm256_slli_epi16(high, -by) : _mm256_srli_epi16(high, by);
  return _mm256_or_si256(ck_field(low, g % 4 / 2 * 4, 15), _mm256_and_si256(moved, _mm256_set1_epi8(48)));
}

/// The products of columns `g` * 32 + (0..<32) of IQ4_XS times their scales. A product of two bytes of each may be
/// 32,258, so each pair is widened.
CK_INLINE void ck_tile_sums_iq4(const int N, const ck_tile_heading *h, const int g, const uint8_t *words,
                                const int8_t *q, size_t x_bytes, __m256i dots[CK_GROUP]) {
  const __m256i scale = ck_pair16(CK_Q6_K, h->scales + 8 * g, h->scales + 8 * g);
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i++) {
    const int k = i / 2 + i % 2 * 4;
    const __m256i codes = ck_looked_up(CK_IQ4_XS, ck_field(ck_bytes32(words + (g * 4 + k % 4) * 32), k / 4 * 4, 15));
    const __m256i sizes = _mm256_abs_epi8(codes);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i signs = _mm256_sign_epi8(ck_four(q + n * x_bytes + 4 * k), codes);
      const __m256i dot = _mm256_madd_epi16(_mm256_maddubs_epi16(sizes, signs), scale);
      dots[n] = i == 0 ? dot : _mm256_add_epi32(dots[n], dot);
      CK_IN_ORDER(dots[n]);
    }
  }
}

/// The same of TQ2_0, whose codes are 1 above what they stand for; `offsets` are -8 times the sums of the activations.
CK_INLINE void ck_tile_sums_tq2(const int N, const int g, const uint8_t *words, const int8_t *q, size_t x_bytes,
                                const int32_t *offsets, __m256i dots[CK_GROUP]) {
  __m256i sums[CK_GROUP];
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const __m256i codes = ck_field(ck_bytes32(words + (g / 4 * 8 + k) * 32), g % 4 * 2, 3);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i pairs = _mm256_maddubs_epi16(codes, ck_four(q + n * x_bytes + 4 * k));
      sums[n] = k == 0 ? pairs : _mm256_add_epi16(sums[n], pairs);
      CK_IN_ORDER(sums[n]);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) {
    const int32_t offset = *(const int32_t *)((const uint8_t *)offsets + n * x_bytes) / 8;
    dots[n] = _mm256_add_epi32(_mm256_madd_epi16(sums[n], _mm256_set1_epi16(1)), _mm256_set1_epi32(offset));
  }
}

/// The products of columns `g` * 32 + (0..<32) times their scales. Sums stay in 16 bits for as long as
/// they fit and have one scale: 8 products of Q4_K (30,480 at most), 4 of Q2_K, Q3_K and Q5_K (31,496), 2 of
/// Q6_K (32,004).
CK_INLINE void ck_tile_sums256(const uint32_t type, const int N, const ck_tile_heading *h, const int g,
                               const uint8_t *words, const uint8_t *x, size_t x_bytes, size_t columns,
                               size_t b, __m256i dots[CK_GROUP]) {
  const int span = type == CK_Q4_K ? 8 : type == CK_Q6_K ? 2 : 4;
  const int8_t *q = ck_values(x, columns) + b * 256 + g * 32;
  if (type == CK_IQ4_XS) return ck_tile_sums_iq4(N, h, g, words, q, x_bytes, dots);
  if (type == CK_TQ2_0)
    return ck_tile_sums_tq2(N, g, words, q, x_bytes, ck_offsets(x, columns) + b * 8 + g, dots);
  __m256i sums[CK_GROUP];
  if (ck_is_signed(type)) {
    // A code of 0 stands for -4 or -32.
    const __m256i both = _mm256_slli_epi16(ck_pair16(type, h->scales + 16 * g, h->scales + 16 * g + 8),
                                           type == CK_Q3_K ? 2 : 5);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const int16_t *halves = ck_half_sums(x + n * x_bytes, columns) + b * 16 + 2 * g;
      dots[n] = _mm256_madd_epi16(both, ck_four((const int8_t *)halves));
    }
  }
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const __m256i codes = ck_tile_codes256(type, words, g, k);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i pairs = _mm256_maddubs_epi16(codes, ck_four(q + n * x_bytes + 4 * k));
      sums[n] = k % span == 0 ? pairs : _mm256_add_epi16(sums[n], pairs);
      CK_IN_ORDER(sums[n]);
    }
    if (k % span != span - 1) continue;
    const uint8_t *scales = h->scales + (ck_is_wide(type) ? g : 2 * g + k / 4) * 8;
    const __m256i scale = ck_pair16(type, scales, scales);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i dot = _mm256_madd_epi16(sums[n], scale);
      if (ck_is_signed(type)) {
        dots[n] = k == span - 1 ? _mm256_sub_epi32(dot, dots[n]) : _mm256_add_epi32(dots[n], dot);
      } else {
        dots[n] = k == span - 1 ? dot : _mm256_add_epi32(dots[n], dot);
      }
      CK_IN_ORDER(dots[n]);
    }
  }
}

/// Adds these products times the scales of the activations.
CK_INLINE void ck_tile_dots256(const uint32_t type, const int N, const ck_tile_heading *h, const int g,
                               const uint8_t *words, const uint8_t *x, size_t x_bytes, size_t columns,
                               size_t b, __m256 products[CK_GROUP]) {
  __m256i dots[CK_GROUP];
  ck_tile_sums256(type, N, h, g, words, x, x_bytes, columns, b, dots);
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) {
    const __m256 scale = _mm256_broadcast_ss(ck_scales(x + n * x_bytes) + b * 8 + g);
    products[n] = g == 0 ? _mm256_mul_ps(_mm256_cvtepi32_ps(dots[n]), scale)
                         : _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[n]), scale, products[n]);
  }
}

CK_INLINE void ck_tile_heading_of(const uint32_t type, const uint8_t *block, ck_tile_heading *h) {
  switch (type) {
    case CK_Q2_K: ck_tile_heading_q2(block, h); break;
    case CK_Q3_K: ck_tile_heading_q3(block, h); break;
    case CK_Q6_K: ck_tile_heading_q6(block, h); break;
    case CK_IQ4_XS: ck_tile_heading_iq4(block, h); break;
    case CK_TQ2_0: h->d = ck_halves8(block); break;
    default: ck_tile_heading_q4(block, h);
  }
}

/// 8 weight rows by `N` activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_tiled256(const uint32_t type, const int N, size_t columns, const uint8_t *tile,
                           size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t words = ck_words(type), bytes = CK_TILE_ROWS * ck_block_bytes(type);
  // Where arithmetic is the limit, asking between the groups of columns costs more than it saves.
  const bool is_spread = N < CK_GROUP || bytes > 1152;
  __m256 sums[CK_GROUP];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 256; b++, tile += bytes) {
    ck_tile_heading h;
    ck_tile_heading_of(type, tile, &h);
    if (ahead && !is_spread) ck_prefetch(tile + ahead, bytes);
    __m256 products[CK_GROUP], offsets[CK_GROUP];
#pragma clang loop unroll(full)
    for (int g = 0; g < 8; g++) {
      if (ahead && is_spread) ck_prefetch_part(tile + ahead, bytes, g);
      ck_tile_dots256(type, N, &h, g, tile + words, x, x_bytes, columns, b, products);
    }
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) sums[n] = _mm256_fmadd_ps(products[n], h.d, sums[n]);
    if (!ck_has_mins(type)) continue;
    ck_tile_mins(type, N, &h, x, x_bytes, columns, b, offsets);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) sums[n] = _mm256_fnmadd_ps(offsets[n], h.dmin, sums[n]);
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) _mm256_storeu_ps(y + n * y_stride, sums[n]);
}

#endif
