// Products with tiles of weights for NEON with dot products; see tiled.h. A vector holds 4 columns of 4 rows.
#ifndef CKERNELS_NEON_TILED_H
#define CKERNELS_NEON_TILED_H

#include "blocks.h"
#include "tiled.h"

// Activation rows whose sums the registers hold.
enum { CK_GROUP = 4 };

/// Eight 32-bit lanes, one per row of a tile.
typedef struct {
  int32x4_t low, high;
} ck_rows8;

typedef struct {
  float32x4_t low, high;
} ck_floats8;

/// 4 columns of 8 rows.
typedef struct {
  int8x16_t low, high;
} ck_codes8;

// A lane has to be a constant in the source; the switch is gone once loops are unrolled.
CK_INLINE int32x4_t ck_sdot(int32x4_t sum, int8x16_t codes, int8x16_t x, const int word) {
  switch (word) {
    case 0: return vdotq_laneq_s32(sum, codes, x, 0);
    case 1: return vdotq_laneq_s32(sum, codes, x, 1);
    case 2: return vdotq_laneq_s32(sum, codes, x, 2);
    default: return vdotq_laneq_s32(sum, codes, x, 3);
  }
}

CK_INLINE void ck_add_dot(ck_rows8 *sum, ck_codes8 codes, int8x16_t x, const int word) {
  sum->low = ck_sdot(sum->low, codes.low, x, word);
  sum->high = ck_sdot(sum->high, codes.high, x, word);
}

CK_INLINE ck_floats8 ck_halves8(const uint8_t *halves) {
  uint16x8_t bits;
  memcpy(&bits, halves, sizeof bits);
  const float16x8_t h = vreinterpretq_f16_u16(bits);
  return (ck_floats8){vcvt_f32_f16(vget_low_f16(h)), vcvt_high_f32_f16(h)};
}

/// sum += dots * d * scale
CK_INLINE void ck_add_scaled(ck_floats8 *sum, ck_rows8 dots, ck_floats8 d, float scale) {
  sum->low = vfmaq_f32(sum->low, vcvtq_f32_s32(dots.low), vmulq_n_f32(d.low, scale));
  sum->high = vfmaq_f32(sum->high, vcvtq_f32_s32(dots.high), vmulq_n_f32(d.high, scale));
}

/// sum += dots * scale
CK_INLINE void ck_add_times(ck_floats8 *sum, ck_rows8 dots, float scale) {
  sum->low = vfmaq_n_f32(sum->low, vcvtq_f32_s32(dots.low), scale);
  sum->high = vfmaq_n_f32(sum->high, vcvtq_f32_s32(dots.high), scale);
}

CK_INLINE uint8x16_t ck_field(const uint8_t *bytes, const int shift, const int mask) {
  const uint8x16_t all = vld1q_u8(bytes);
  // A shift by a variable takes negative counts for shifts to the right.
  return vandq_u8(shift ? vshlq_u8(all, vdupq_n_s8((int8_t)-shift)) : all, vdupq_n_u8((uint8_t)mask));
}

CK_INLINE ck_codes8 ck_fields(const uint8_t *words, const int shift, const int mask) {
  return (ck_codes8){vreinterpretq_s8_u8(ck_field(words, shift, mask)),
                     vreinterpretq_s8_u8(ck_field(words + 16, shift, mask))};
}

CK_INLINE ck_codes8 ck_joined(ck_codes8 a, ck_codes8 b) {
  return (ck_codes8){vorrq_s8(a.low, b.low), vorrq_s8(a.high, b.high)};
}

/// What codes of four bits stand for.
CK_INLINE ck_codes8 ck_looked_up(const uint32_t type, ck_codes8 codes) {
  const int8x16_t values = vld1q_s8(ck_code_values(type));
  return (ck_codes8){vqtbl1q_s8(values, vreinterpretq_u8_s8(codes.low)),
                     vqtbl1q_s8(values, vreinterpretq_u8_s8(codes.high))};
}

/// Half of 2^(exponent - 127) of 8 bytes.
CK_INLINE ck_floats8 ck_powers8(const uint8_t *bytes) {
  float powers[8];
  for (int r = 0; r < 8; r++) powers[r] = ck_half_of_power(bytes[r]);
  return (ck_floats8){vld1q_f32(powers), vld1q_f32(powers + 4)};
}

// MARK: Blocks of 32

CK_INLINE ck_codes8 ck_tile_codes32(const uint32_t type, const uint8_t *words, const int k) {
  if (type == CK_Q8_0)
    return (ck_codes8){vreinterpretq_s8_u8(vld1q_u8(words + k * 32)),
                       vreinterpretq_s8_u8(vld1q_u8(words + k * 32 + 16))};
  const ck_codes8 low = ck_fields(words + k % 4 * 32, k / 4 * 4, 15);
  if (ck_code_values(type)) return ck_looked_up(type, low);
  return ck_has_fifth(type) ? ck_joined(low, ck_fields(words - 32, k - 4, 16)) : low;
}

/// What is added to the product of two blocks' codes: an exact multiple of the sum of the activations.
CK_INLINE int32_t ck_offset32(const uint32_t type, const uint8_t *row, size_t columns, size_t b) {
  const int32_t offset = ck_offsets(row, columns)[b];
  return type == CK_Q4_0 ? offset : type == CK_Q5_0 ? 2 * offset : 0;
}

/// 8 weight rows by `N` activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_tiled32(const uint32_t type, const int N, size_t columns, const uint8_t *tile,
                          size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t words = ck_words(type), bytes = CK_TILE_ROWS * ck_block_bytes(type);
  ck_floats8 sums[CK_GROUP];
  memset(sums, 0, sizeof sums);
  for (size_t b = 0; b < columns / 32; b++, tile += bytes) {
    if (ahead) ck_prefetch(tile + ahead, bytes);
    ck_rows8 dots[CK_GROUP];
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      dots[n].low = dots[n].high = vdupq_n_s32(ck_offset32(type, x + n * x_bytes, columns, b));
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; k++) {
      const ck_codes8 codes = ck_tile_codes32(type, tile + words, k);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const int8_t *q = ck_values(x + n * x_bytes, columns) + b * 32;
        ck_add_dot(&dots[n], codes, vld1q_s8(q + k / 4 * 16), k % 4);
      }
    }
    const ck_floats8 d = type == CK_MXFP4 ? ck_powers8(tile) : ck_halves8(tile), m = ck_halves8(tile + 16);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const uint8_t *row = x + n * x_bytes;
      ck_add_scaled(&sums[n], dots[n], d, ck_scales(row)[b]);
      if (type != CK_Q4_1 && type != CK_Q5_1) continue;
      sums[n].low = vfmaq_n_f32(sums[n].low, m.low, ck_totals(row, columns)[b]);
      sums[n].high = vfmaq_n_f32(sums[n].high, m.high, ck_totals(row, columns)[b]);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) memcpy(y + n * y_stride, &sums[n], sizeof sums[n]);
}

// MARK: Blocks of 64

/// 8 weight rows by `N` activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_tiled64(const uint32_t type, const int N, size_t columns, const uint8_t *tile,
                          size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t bytes = 144;
  ck_floats8 sums[CK_GROUP];
  memset(sums, 0, sizeof sums);
  for (size_t b = 0; b < columns / 64; b++, tile += bytes) {
    if (ahead) ck_prefetch(tile + ahead, bytes);
    ck_floats8 d = ck_halves8(tile);
    d.low = vmulq_n_f32(d.low, 0.0625f), d.high = vmulq_n_f32(d.high, 0.0625f);
#pragma clang loop unroll(full)
    for (int half = 0; half < 2; half++) {
      ck_rows8 dots[CK_GROUP];
      memset(dots, 0, sizeof dots);
#pragma clang loop unroll(full)
      for (int k = 0; k < 8; k++) {
        const ck_codes8 codes = ck_fields(tile + 16 + k % 4 * 32, half * 4 + k / 4 * 2, 3);
#pragma clang loop unroll(full)
        for (int n = 0; n < N; n++) {
          const int8_t *q = ck_values(x + n * x_bytes, columns) + b * 64 + half * 32;
          ck_add_dot(&dots[n], codes, vld1q_s8(q + k / 4 * 16), k % 4);
        }
      }
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        const uint8_t *row = x + n * x_bytes;
        // The offset is -8 times the sum of the activations, and 16 dot - 24 sum = 16 (dot - 1.5 sum); Q2_0 takes off 1.
        const int32x4_t offset = vdupq_n_s32(ck_offsets(row, columns)[2 * b + half] * (type == CK_Q2_0 ? 2 : 3));
        dots[n].low = vaddq_s32(vshlq_n_s32(dots[n].low, 4), offset);
        dots[n].high = vaddq_s32(vshlq_n_s32(dots[n].high, 4), offset);
        ck_add_scaled(&sums[n], dots[n], d, ck_scales(row)[2 * b + half]);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) memcpy(y + n * y_stride, &sums[n], sizeof sums[n]);
}

// MARK: Blocks of 256

/// Scales and mins of 8 rows, one byte per row and group; the mins of types with signed scales are in their codes.
CK_INLINE void ck_tile_heading(const uint32_t type, const uint8_t *block, uint8_t scales[128],
                               uint8_t mins[128]) {
  if (type == CK_Q6_K) {
    memcpy(scales, block + 16, 128);
  } else if (type == CK_TQ2_0) {
    memset(scales, 1, 64);
  } else if (type == CK_IQ4_XS) {
    for (int i = 0; i < 64; i++) {
      const int g = i / 8, r = i % 8, low = block[32 + g / 2 * 8 + r] >> g % 2 * 4 & 15;
      scales[i] = (low | (block[16 + 2 * r + g / 4] >> g % 4 * 2 & 3) << 4) - 32;
    }
  } else if (type == CK_Q3_K) {
    const uint8_t *a = block + 16, *b = a + 32, *c = b + 32;
    for (int i = 0; i < 32; i++) {
      scales[i] = ((a[i] & 15) | (c[i] & 3) << 4) - 32, scales[32 + i] = ((b[i] & 15) | (c[i] << 2 & 0x30)) - 32;
      scales[64 + i] = (a[i] >> 4 | (c[i] & 0x30)) - 32, scales[96 + i] = (b[i] >> 4 | (c[i] >> 2 & 0x30)) - 32;
    }
  } else if (type == CK_Q2_K) {
    for (int i = 0; i < 128; i++) scales[i] = block[32 + i] & 15, mins[i] = block[32 + i] >> 4;
  } else {
    const uint8_t *a = block + 32, *b = a + 32, *c = b + 32;
    for (int i = 0; i < 32; i++) {
      scales[i] = a[i] & 63, scales[32 + i] = (c[i] & 15) | (a[i] >> 2 & 0x30);
      mins[i] = b[i] & 63, mins[32 + i] = c[i] >> 4 | (b[i] >> 2 & 0x30);
    }
  }
}

/// A byte per row as 16 bits.
CK_INLINE int16x8_t ck_widen16(const uint32_t type, const uint8_t *bytes) {
  const uint8x8_t b = vld1_u8(bytes);
  return ck_is_signed(type) || type == CK_IQ4_XS ? vmovl_s8(vreinterpret_s8_u8(b)) : vreinterpretq_s16_u16(vmovl_u8(b));
}

/// The codes of 4 columns of 8 rows, those from `g` * 32 + `k` * 4 on.
CK_INLINE ck_codes8 ck_tile_codes256(const uint32_t type, const uint8_t *words, const int g, const int k) {
  if (type == CK_Q4_K) return ck_fields(words + (g / 2 * 8 + k) * 32, g % 2 * 4, 15);
  if (type == CK_Q2_K) return ck_fields(words + (g / 4 * 8 + k) * 32, g % 4 * 2, 3);
  if (type == CK_IQ4_XS) return ck_looked_up(type, ck_fields(words + (g * 4 + k % 4) * 32, k / 4 * 4, 15));
  if (type == CK_TQ2_0) {
    const ck_codes8 codes = ck_fields(words + (g / 4 * 8 + k) * 32, g % 4 * 2, 3);
    return (ck_codes8){vsubq_s8(codes.low, vdupq_n_s8(1)), vsubq_s8(codes.high, vdupq_n_s8(1))};
  }
  if (type == CK_Q5_K)
    return ck_joined(ck_fields(words + (8 + g / 2 * 8 + k) * 32, g % 2 * 4, 15), ck_fields(words + k * 32, g - 4, 16));
  if (type == CK_Q3_K) {
    const ck_codes8 codes =
        ck_joined(ck_fields(words + (8 + g / 4 * 8 + k) * 32, g % 4 * 2, 3), ck_fields(words + k * 32, g - 2, 4));
    return (ck_codes8){vsubq_s8(codes.low, vdupq_n_s8(4)), vsubq_s8(codes.high, vdupq_n_s8(4))};
  }
  ck_codes8 low = ck_fields(words + (g / 4 * 16 + g % 2 * 8 + k) * 32, g % 4 / 2 * 4, 15);
  ck_codes8 high = ck_fields(words + (32 + g / 4 * 8 + k) * 32, g % 4 * 2, 3);
  const int8x16_t middle = vdupq_n_s8(32);
  return (ck_codes8){vsubq_s8(vorrq_s8(low.low, vshlq_n_s8(high.low, 4)), middle),
                     vsubq_s8(vorrq_s8(low.high, vshlq_n_s8(high.high, 4)), middle)};
}

/// Adds the products of columns `g` * 32 + (0..<32) times their scales, for each activation row.
CK_INLINE void ck_tile_dots256(const uint32_t type, const int N, const uint8_t *scales, const int g,
                               const uint8_t *words, const uint8_t *x, size_t x_bytes, size_t columns,
                               size_t b, ck_floats8 products[CK_GROUP]) {
  const bool wide = ck_is_wide(type) || (!ck_has_mins(type) && !ck_is_signed(type));
  const int span = wide ? 8 : 4;
  const int8_t *q = ck_values(x, columns) + b * 256 + g * 32;
  ck_rows8 sums[CK_GROUP], dots[CK_GROUP];
  memset(dots, 0, sizeof dots);
#pragma clang loop unroll(full)
  for (int k = 0; k < 8; k++) {
    const ck_codes8 codes = ck_tile_codes256(type, words, g, k);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      if (k % span == 0) sums[n].low = sums[n].high = vdupq_n_s32(0);
      ck_add_dot(&sums[n], codes, vld1q_s8(q + n * x_bytes + k / 4 * 16), k % 4);
    }
    if (k % span != span - 1) continue;
    const int16x8_t scale = ck_widen16(type, scales + (wide ? g : 2 * g + k / 4) * 8);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      dots[n].low = vmlaq_s32(dots[n].low, sums[n].low, vmovl_s16(vget_low_s16(scale)));
      dots[n].high = vmlaq_s32(dots[n].high, sums[n].high, vmovl_high_s16(scale));
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) ck_add_times(&products[n], dots[n], ck_scales(x + n * x_bytes)[b * 8 + g]);
}

/// What the mins of a block add for one activation row, before dmin.
CK_INLINE ck_floats8 ck_tile_mins(const uint32_t type, const uint8_t *mins, const uint8_t *row, size_t columns,
                                  size_t b) {
  ck_floats8 sum = {vdupq_n_f32(0), vdupq_n_f32(0)};
  for (size_t g = 0, at = b * 8; g < 8; g++, at++) {
    const int16x8_t first = ck_widen16(type, mins + (ck_is_wide(type) ? g : 2 * g) * 8);
    if (ck_is_wide(type)) {
      const ck_rows8 wide = {vmovl_s16(vget_low_s16(first)), vmovl_high_s16(first)};
      ck_add_times(&sum, wide, ck_totals(row, columns)[at]);
    } else {
      const int16x8_t second = ck_widen16(type, mins + (2 * g + 1) * 8);
      const int16_t *halves = ck_half_sums(row, columns) + 2 * at;
      ck_rows8 both = {vmull_n_s16(vget_low_s16(first), halves[0]), vmull_high_n_s16(first, halves[0])};
      both.low = vmlal_n_s16(both.low, vget_low_s16(second), halves[1]);
      both.high = vmlal_high_n_s16(both.high, second, halves[1]);
      ck_add_times(&sum, both, ck_scales(row)[at]);
    }
  }
  return sum;
}

/// 8 weight rows by `N` activation rows; asks for what lies `ahead` bytes on, if not 0.
CK_INLINE void ck_tiled256(const uint32_t type, const int N, size_t columns, const uint8_t *tile,
                           size_t ahead, const uint8_t *x, size_t x_bytes, float *y, size_t y_stride) {
  const size_t words = ck_words(type), bytes = CK_TILE_ROWS * ck_block_bytes(type);
  ck_floats8 sums[CK_GROUP];
  memset(sums, 0, sizeof sums);
  for (size_t b = 0; b < columns / 256; b++, tile += bytes) {
    if (ahead) ck_prefetch(tile + ahead, bytes);
    uint8_t scales[128], mins[128];
    ck_tile_heading(type, tile, scales, mins);
    ck_floats8 products[CK_GROUP];
    memset(products, 0, sizeof products);
#pragma clang loop unroll(full)
    for (int g = 0; g < 8; g++)
      ck_tile_dots256(type, N, scales, g, tile + words, x, x_bytes, columns, b, products);
    const ck_floats8 d = ck_halves8(tile), dmin = ck_halves8(tile + 16);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      sums[n].low = vfmaq_f32(sums[n].low, products[n].low, d.low);
      sums[n].high = vfmaq_f32(sums[n].high, products[n].high, d.high);
      if (!ck_has_mins(type)) continue;
      const ck_floats8 offset = ck_tile_mins(type, mins, x + n * x_bytes, columns, b);
      sums[n].low = vfmsq_f32(sums[n].low, offset.low, dmin.low);
      sums[n].high = vfmsq_f32(sums[n].high, offset.high, dmin.high);
    }
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < N; n++) memcpy(y + n * y_stride, &sums[n], sizeof sums[n]);
}

#endif
