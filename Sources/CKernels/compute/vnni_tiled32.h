// Products with tiles of 16 rows of weights in blocks of 32, for AVX-512 with VNNI; see tiled.h.
#ifndef CKERNELS_VNNI_TILED32_H
#define CKERNELS_VNNI_TILED32_H

#include "tiled_rows.h"

// Keeps the compiler from moving sums past each other, which would hold more of them than there are registers.
#define CK_IN_ORDER16(vector) __asm__("" : "+v"(vector))

CK_INLINE __m512i ck_bytes64(const uint8_t *bytes) { return _mm512_loadu_si512(bytes); }

CK_INLINE __m512 ck_halves16(const uint8_t *halves) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)halves));
}

/// Four activations in each 32-bit lane; as an operand in memory it costs no instruction.
CK_INLINE __m512i ck_four16(const int8_t *x) {
  int32_t word;
  memcpy(&word, x, 4);
  return _mm512_set1_epi32(word);
}

/// Bit `from` of each byte, moved to bit `to`.
CK_INLINE __m512i ck_moved_bit64(__m512i bytes, const int from, const int to) {
  const __m512i moved = from > to ? _mm512_srli_epi16(bytes, from - to) : _mm512_slli_epi16(bytes, to - from);
  return _mm512_and_si512(moved, _mm512_set1_epi8((char)(1 << to)));
}

/// 128 more than what codes of four bits stand for.
CK_INLINE __m512i ck_looked_up64(const uint32_t type, __m512i codes) {
  const __m128i values = _mm_loadu_si128((const __m128i *)ck_code_values(type));
  const __m128i offset = _mm_xor_si128(values, _mm_set1_epi8(-128));
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(offset), codes);
}

/// Half of 2^(exponent - 127) of 16 bytes; those below 2 give what is no normal number.
CK_INLINE __m512 ck_powers16(const uint8_t *bytes) {
  const __m512i exponents = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)bytes));
  const __m512i normal = _mm512_slli_epi32(_mm512_sub_epi32(exponents, _mm512_set1_epi32(1)), 23);
  const __m512i tiny = _mm512_sllv_epi32(_mm512_set1_epi32(0x00200000), exponents);
  const __mmask16 is_tiny = _mm512_cmplt_epu32_mask(exponents, _mm512_set1_epi32(2));
  return _mm512_castsi512_ps(_mm512_mask_mov_epi32(normal, is_tiny, tiny));
}

/// The codes of 16 rows by 4 columns, unsigned: high nibbles are 16 columns after the low ones. Signed ones are 128 more
/// than they stand for.
CK_INLINE __m512i ck_wide_codes32(const uint32_t type, const uint8_t *words, const int k) {
  if (type == CK_Q8_0) return _mm512_xor_si512(ck_bytes64(words + k * 64), _mm512_set1_epi8(-128));
  const __m512i bytes = ck_bytes64(words + k % 4 * 64);
  const __m512i low = _mm512_and_si512(k < 4 ? bytes : _mm512_srli_epi16(bytes, 4), _mm512_set1_epi8(15));
  if (ck_code_values(type)) return ck_looked_up64(type, low);
  return ck_has_fifth(type) ? _mm512_or_si512(low, ck_moved_bit64(ck_bytes64(words - 64), k, 4)) : low;
}

/// 16 weight rows by `N` activation rows.
CK_INLINE void ck_wide32(const uint32_t type, const int N, size_t columns, const uint8_t *tile, const uint8_t *x,
                         size_t x_bytes, float *y, size_t y_stride) {
  const size_t words = 2 * ck_words(type), bytes = CK_WIDE_TILE_ROWS * ck_block_bytes(type);
  const bool adds_offset = type != CK_Q4_0 && ck_has_offset(type);
  __m512 sums[CK_TILE];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm512_setzero_ps();
  for (size_t b = 0; b < columns / 32; b++, tile += bytes) {
    __m512i dots[CK_TILE];
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      // What the offset of the codes adds: -8 times the sum of the activations, or -128 times.
      const __m512i offset = _mm512_set1_epi32(ck_offsets(x + n * x_bytes, columns)[b]);
      dots[n] = adds_offset ? _mm512_setzero_si512() : type == CK_Q4_0 ? offset : _mm512_slli_epi32(offset, 4);
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; k++) {
      const __m512i codes = ck_wide_codes32(type, tile + words, k);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const int8_t *q = ck_values(x + n * x_bytes, columns) + b * 32 + k * 4;
        dots[n] = _mm512_dpbusd_epi32(dots[n], codes, ck_four16(q));
      }
    }
    ck_prefetch(tile + CK_AHEAD, bytes);
    const __m512 d = type == CK_MXFP4 ? ck_powers16(tile) : ck_halves16(tile);
    const __m512 m = type == CK_Q5_0 ? _mm512_mul_ps(d, _mm512_set1_ps(-16)) : ck_halves16(tile + 32);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m512 scale = _mm512_mul_ps(d, _mm512_set1_ps(ck_scales(x + n * x_bytes)[b]));
      sums[n] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[n]), scale, sums[n]);
      const __m512 total = _mm512_set1_ps(ck_totals(x + n * x_bytes, columns)[b]);
      if (adds_offset) sums[n] = _mm512_fmadd_ps(m, total, sums[n]);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) _mm512_storeu_ps(y + n * y_stride, sums[n]);
}

/// The same for 8 weight rows of signed codes: those of an adapter would leave half of a wider tile empty.
CK_INLINE void ck_narrow32(const uint32_t type, const int N, size_t columns, const uint8_t *tile, const uint8_t *x,
                           size_t x_bytes, float *y, size_t y_stride) {
  const size_t words = ck_words(type), bytes = CK_TILE_ROWS * ck_block_bytes(type);
  __m256 sums[CK_TILE];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) sums[n] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 32; b++, tile += bytes) {
    __m256i dots[CK_TILE];
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++)
      dots[n] = _mm256_slli_epi32(_mm256_set1_epi32(ck_offsets(x + n * x_bytes, columns)[b]), 4);
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; k++) {
      const __m256i bytes8 = _mm256_loadu_si256((const __m256i *)(tile + words + k * 32));
      const __m256i codes = _mm256_xor_si256(bytes8, _mm256_set1_epi8(-128));
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const int8_t *q = ck_values(x + n * x_bytes, columns) + b * 32 + k * 4;
        dots[n] = _mm256_dpbusd_epi32(dots[n], codes, ck_four(q));
      }
    }
    const __m256 d = ck_halves8(tile);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const __m256 scale = _mm256_mul_ps(d, _mm256_set1_ps(ck_scales(x + n * x_bytes)[b]));
      sums[n] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[n]), scale, sums[n]);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) _mm256_storeu_ps(y + n * y_stride, sums[n]);
}

#endif
