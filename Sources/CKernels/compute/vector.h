// Eight floats at a time in portable C. A file includes this after it has chosen its instruction set,
// so every variant gets its own code from one text.
#ifndef CKERNELS_VECTOR_H
#define CKERNELS_VECTOR_H

#include <stdint.h>
#include <string.h>

#define CK_INLINE static inline __attribute__((always_inline))

// What the widest registers hold.
#ifndef CK_VECTOR_BYTES
#define CK_VECTOR_BYTES 32
#endif

typedef float f8 __attribute__((vector_size(32)));
typedef float f4 __attribute__((vector_size(16)));
typedef int32_t i8x32 __attribute__((vector_size(32)));
typedef int8_t i8x8 __attribute__((vector_size(8)));
typedef uint32_t u8x32 __attribute__((vector_size(32)));
typedef uint16_t u8x16 __attribute__((vector_size(16)));
typedef float ck_lanes __attribute__((vector_size(CK_VECTOR_BYTES)));
typedef uint32_t ck_lane_bits __attribute__((vector_size(CK_VECTOR_BYTES)));
typedef int32_t ck_lane_ints __attribute__((vector_size(CK_VECTOR_BYTES)));
typedef int8_t ck_lane_bytes __attribute__((vector_size(CK_VECTOR_BYTES / 4)));

enum { CK_LANES = CK_VECTOR_BYTES / 4 };

#define CK_LOAD8(vector, pointer) memcpy(&(vector), (pointer), sizeof(f8))
#define CK_LOAD(vector, pointer) memcpy(&(vector), (pointer), sizeof(vector))
#define CK_STORE(pointer, vector) memcpy((pointer), &(vector), sizeof(vector))
#define CK_STORE8(pointer, vector) memcpy((pointer), &(vector), sizeof(f8))
// Not a sum with 0, which would have to be calculated.
#define CK_ALL(value) ((f8){(value), (value), (value), (value), (value), (value), (value), (value)})
#if CK_VECTOR_BYTES == 64
#define CK_SPREAD(value) ((ck_lanes)_mm512_set1_ps(value))
#else
#define CK_SPREAD(value) CK_ALL(value)
#endif

// Keeps a sum in its register, where the compiler would turn products around and then need one more than there are.
#if defined(CK_USE_F16C)
#define CK_IN_PLACE(vector) __asm__("" : "+v"(vector))
#else
#define CK_IN_PLACE(vector)
#endif

CK_INLINE float ck_sum8(const f8 *v) {
  return (((*v)[0] + (*v)[4]) + ((*v)[2] + (*v)[6])) + (((*v)[1] + (*v)[5]) + ((*v)[3] + (*v)[7]));
}

/// The sums of the lanes of eight vectors.
CK_INLINE void ck_sum8x8(const f8 v[8], f8 *sums) {
  f8 pairs[4], fours[2];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++)
    pairs[i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(v[2 * i], v[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
#pragma clang loop unroll(full)
  for (int i = 0; i < 2; i++)
    fours[i] = __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  *sums = __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
          __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

/// Eight rows of eight values as eight columns.
CK_INLINE void ck_turn8x8(const f8 rows[8], f8 columns[8]) {
  f8 pairs[8], fours[8];
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; j++) {
      fours[i + 2 * j] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * j + 1] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++) {
    columns[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    columns[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// The same of four vectors, each added up in the same order.
CK_INLINE void ck_sum8x4(const f8 v[4], f4 *sums) {
  f8 pairs[2];
#pragma clang loop unroll(full)
  for (int i = 0; i < 2; i++)
    pairs[i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(v[2 * i], v[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  const f8 fours = __builtin_shufflevector(pairs[0], pairs[1], 0, 1, 8, 9, 4, 5, 12, 13) +
                   __builtin_shufflevector(pairs[0], pairs[1], 2, 3, 10, 11, 6, 7, 14, 15);
  *sums = __builtin_shufflevector(fours, fours, 0, 1, 2, 3) + __builtin_shufflevector(fours, fours, 4, 5, 6, 7);
}

CK_INLINE float ck_from_half(uint16_t half) {
#if defined(CK_USE_F16C)
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
#endif
  uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
  float value;
  memcpy(&value, &bits, 4);
  value *= 0x1p112f;  // moves the exponent's bias from 15 to 127, and makes denormals normal
  memcpy(&bits, &value, 4);
  if ((half & 0x7c00) == 0x7c00) bits |= 0x7f800000;
  bits |= (uint32_t)(half & 0x8000) << 16;
  memcpy(&value, &bits, 4);
  return value;
}

/// To the nearest half, ties to even; NaN stays NaN.
CK_INLINE uint16_t ck_to_half(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  uint32_t sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return sign | 0x7e00;
  if (bits >= 0x477ff000) return sign | 0x7c00;
  if (bits < 0x38800000) {  // denormal: the addition aligns and rounds
    float magnitude;
    memcpy(&magnitude, &bits, 4);
    magnitude += 0.5f;
    memcpy(&bits, &magnitude, 4);
    return sign | (bits - 0x3f000000);
  }
  bits += 0xc8000fff + (bits >> 13 & 1);
  return sign | bits >> 13;
}

CK_INLINE void ck_load_half8(f8 *out, const void *halves) {
  u8x16 packed;
  memcpy(&packed, halves, sizeof packed);
#if defined(CK_USE_F16C)
  *out = (f8)_mm256_cvtph_ps((__m128i)packed);
#else
  u8x32 h = __builtin_convertvector(packed, u8x32);
  f8 value = (f8)((h & 0x7fff) << 13) * 0x1p112f;
  u8x32 special = (u8x32)((h & 0x7c00) == 0x7c00) & 0x7f800000;
  *out = (f8)((u8x32)value | special | (h & 0x8000) << 16);
#endif
}

/// As many halves as a vector has lanes.
CK_INLINE void ck_load_half_lanes(ck_lanes *out, const void *halves) {
#if CK_VECTOR_BYTES == 64
  *out = (ck_lanes)_mm512_cvtph_ps(_mm256_loadu_si256(halves));
#else
  ck_load_half8(out, halves);
#endif
}

CK_INLINE void ck_store_half8(void *halves, const f8 *value) {
#if defined(CK_USE_F16C)
  __m128i packed = _mm256_cvtps_ph((__m256)*value, _MM_FROUND_TO_NEAREST_INT);
  memcpy(halves, &packed, sizeof packed);
#else
  uint16_t packed[8];
  for (int i = 0; i < 8; i++) packed[i] = ck_to_half((*value)[i]);
  memcpy(halves, packed, sizeof packed);
#endif
}

// p = exp(v) of `N` vectors of either width, whose values are at most half the logarithm of 2 from 0: a series, each term
// for all vectors before the next, as the terms of one wait for each other.
#define CK_EXP_TERMS(N, v, p)                                                                            \
  static const float terms[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};          \
  _Pragma("clang loop unroll(full)") for (int i = 0; i < N; i++) p[i] = v[i] * (1.0f / 5040) + terms[0]; \
  _Pragma("clang loop unroll(full)") for (int term = 1; term < 7; term++) {                              \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < N; i++) p[i] = p[i] * v[i] + terms[term];     \
  }

/// exp(x) of `N` vectors, with a relative error below 3e-7; 0 below -87.3 and infinity above 88; NaN stays NaN.
CK_INLINE void ck_exp8s(const int N, f8 *x) {
  enum { MOST = 4 };
  f8 v[MOST], shifted[MOST], p[MOST];
#pragma clang loop unroll(full)
  for (int i = 0; i < N; i++) {
    const u8x32 tiny = (u8x32)(x[i] < -87.3f);
    v[i] = (f8)(((u8x32)x[i] & ~tiny));
    const u8x32 large = (u8x32)(v[i] > 88.0f);
    v[i] = (f8)((u8x32)v[i] & ~large);
    shifted[i] = v[i] * 1.44269504f + 12582912.0f;  // 1.5 * 2^23: the sum's low bits are the nearest integer
    const f8 n = shifted[i] - 12582912.0f;
    v[i] = v[i] - n * 0.693145752f;
    v[i] = v[i] - n * 1.42860677e-6f;
  }
  CK_EXP_TERMS(N, v, p)
#pragma clang loop unroll(full)
  for (int i = 0; i < N; i++) {
    const u8x32 tiny = (u8x32)(x[i] < -87.3f), large = (u8x32)(x[i] > 88.0f), damaged = (u8x32)(x[i] != x[i]);
    const u8x32 power = ((u8x32)shifted[i] << 23) + (u8x32)p[i];
    x[i] = (f8)((power & ~tiny & ~large) | (0x7f800000 & large) | (0x7fc00000 & damaged));
  }
}

CK_INLINE void ck_exp8(f8 *x) { ck_exp8s(1, x); }

/// The same of vectors of values that are at most 0, or NaN.
CK_INLINE void ck_exps_below(const int N, ck_lanes *x) {
  enum { MOST = 8 };
  const float magic = 12583039.0f;  // 1.5 * 2^23 + 127: the sum's low bits are an exponent
  ck_lanes v[MOST], shifted[MOST], p[MOST];
#pragma clang loop unroll(full)
  for (int i = 0; i < N; i++) {
    shifted[i] = x[i] * 1.44269504f + magic;
    const ck_lanes n = shifted[i] - magic;
    v[i] = x[i] - n * 0.693145752f;
    v[i] = v[i] - n * 1.42860677e-6f;
  }
  CK_EXP_TERMS(N, v, p)
#pragma clang loop unroll(full)
  for (int i = 0; i < N; i++) {
    const ck_lane_bits tiny = (ck_lane_bits)(x[i] < -87.3f);
    p[i] *= (ck_lanes)((ck_lane_bits)shifted[i] << 23);
    x[i] = (ck_lanes)((ck_lane_bits)p[i] & ~tiny);
  }
}

/// cap * tanh(x / cap), within 1.2e-7 of the cap.
CK_INLINE void ck_cap8(f8 *x, float cap) {
  f8 e = *x * (2.0f / cap);
  ck_exp8(&e);
  *x = cap - 2.0f * cap / (e + 1.0f);
}

#endif
