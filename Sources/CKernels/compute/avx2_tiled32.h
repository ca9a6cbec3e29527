// Products with tiles of weights in blocks of 32, for AVX2; see tiled.h.
#ifndef CKERNELS_AVX2_TILED32_H
#define CKERNELS_AVX2_TILED32_H

#include "avx2_blocks32.h"
#include "tiled.h"

// Activation rows whose sums the registers hold.
enum { CK_GROUP = 4 };

// Keeps the compiler from regrouping sums, which would hold more of them than there are registers.
#define CK_IN_ORDER(vector) __asm__("" : "+x"(vector))

/// Four activations in each 32-bit lane.
CK_INLINE __m256i ck_four(const int8_t *x) {
  int32_t word;
  memcpy(&word, x, 4);
  return _mm256_set1_epi32(word);
}

CK_INLINE __m256 ck_halves8(const uint8_t *halves) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)halves));
}

/// The `i`th group of 4 columns to take: both nibbles of a byte in turn, so that none is read twice.
CK_INLINE int ck_order32(const uint32_t type, const int i) { return type == CK_Q8_0 ? i : i / 2 + i % 2 * 4; }

/// Bit `from` of each byte, moved to bit `to`.
CK_INLINE __m256i ck_moved_bit(__m256i bytes, const int from, const int to) {
  const __m256i moved = from > to ? _mm256_srli_epi16(bytes, from - to) : _mm256_slli_epi16(bytes, to - from);
  return _mm256_and_si256(moved, _mm256_set1_epi8((char)(1 << to)));
}

/// The codes of 8 rows by 4 columns; the high nibbles are 16 columns after the low ones.
CK_INLINE __m256i ck_tile_codes32(const uint32_t type, const uint8_t *words, const int k) {
  if (type == CK_Q8_0) return _mm256_loadu_si256((const __m256i *)(words + k * 32));
  const __m256i bytes = _mm256_loadu_si256((const __m256i *)(words + k % 4 * 32));
  const __m256i low = _mm256_and_si256(k < 4 ? bytes : _mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  if (ck_code_values(type)) return ck_looked_up(type, low);
  if (!ck_has_fifth(type)) return low;
  return _mm256_or_si256(low, ck_moved_bit(_mm256_loadu_si256((const __m256i *)(words - 32)), k, 4));
}

/// 32 products of each of 8 rows with each of `N` activation rows. Groups of words come first and rows
/// second, so that neighbouring instructions do not wait for each other.
///
/// Sums of eight products of nibble pairs stay within 30,480, and four of five bits within 31,496, so they are
/// widened once or twice.
CK_INLINE void ck_tile_dots_q45(const uint32_t type, const int N, const uint8_t *words, const int8_t *x,
                                size_t x_bytes, __m256i dots[CK_GROUP]) {
  const int span = ck_has_fifth(type) ? 4 : 8;
  __m256i sums[CK_GROUP];
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i++) {
    const int k = ck_order32(type, i);
    const __m256i codes = ck_tile_codes32(type, words, k);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i pairs = _mm256_maddubs_epi16(codes, ck_four(x + n * x_bytes + 4 * k));
      sums[n] = i % span == 0 ? pairs : _mm256_add_epi16(sums[n], pairs);
      CK_IN_ORDER(sums[n]);
    }
    if (i % span != span - 1) continue;
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i dot = _mm256_madd_epi16(sums[n], _mm256_set1_epi16(1));
      dots[n] = i == span - 1 ? dot : _mm256_add_epi32(dots[n], dot);
    }
  }
}

/// As above for signed codes: their signs move to the activations.
CK_INLINE void ck_tile_dots_signed(const uint32_t type, const int N, const uint8_t *words, const int8_t *x,
                                   size_t x_bytes, __m256i dots[CK_GROUP]) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i++) {
    const int k = ck_order32(type, i);
    const __m256i codes = ck_tile_codes32(type, words, k), sizes = _mm256_abs_epi8(codes);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256i signs = _mm256_sign_epi8(ck_four(x + n * x_bytes + 4 * k), codes);
      const __m256i sum = _mm256_madd_epi16(_mm256_maddubs_epi16(sizes, signs), _mm256_set1_epi16(1));
      dots[n] = k == 0 ? sum : _mm256_add_epi32(dots[n], sum);
      CK_IN_ORDER(dots[n]);
    }
  }
}

/// 8 weight rows by `N` activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_tiled32(const uint32_t type, const int N, size_t columns, const uint8_t *tile,
                          size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t words = ck_words(type), bytes = CK_TILE_ROWS * ck_block_bytes(type);
  __m256 sums[CK_GROUP];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 32; b++, tile += bytes) {
    const int8_t *q = ck_values(x, columns) + b * 32;
    __m256i dots[CK_GROUP];
    if (ck_has_offset(type)) {
      ck_tile_dots_q45(type, N, tile + words, q, x_bytes, dots);
    } else {
      ck_tile_dots_signed(type, N, tile + words, q, x_bytes, dots);
    }
    if (ahead) ck_prefetch(tile + ahead, bytes);
    const __m256 d = type == CK_MXFP4 ? ck_powers8(tile) : ck_halves8(tile);
    const __m256 m = type == CK_Q5_0 ? _mm256_mul_ps(d, _mm256_set1_ps(-16)) : ck_halves8(tile + 16);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const uint8_t *row = x + n * x_bytes;
      if (type == CK_Q4_0)
        dots[n] = _mm256_add_epi32(dots[n], _mm256_set1_epi32(ck_offsets(row, columns)[b]));
      const __m256 scale = _mm256_mul_ps(d, _mm256_broadcast_ss(ck_scales(row) + b));
      sums[n] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[n]), scale, sums[n]);
      if (type != CK_Q4_0 && ck_has_offset(type))
        sums[n] = _mm256_fmadd_ps(m, _mm256_broadcast_ss(ck_totals(row, columns) + b), sums[n]);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) _mm256_storeu_ps(y + n * y_stride, sums[n]);
}

#endif
