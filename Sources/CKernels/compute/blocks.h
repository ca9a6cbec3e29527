// Unpacks blocks of quantized weights to int8 and scales, in portable C; layouts as in GGUF.
#ifndef CKERNELS_BLOCKS_H
#define CKERNELS_BLOCKS_H

#include "../codes.h"
#include "../grids.h"
#include "variant.h"
#include "vector.h"

/// weight = d * q + m; of Q2_B and Q2_0, whose blocks are twice as long, one half
typedef struct {
  float d, m;
  int8_t q[32];
} ck_block32;

/// weight = d * scale * q - dmin * min, with a scale and a min for each 16 values.
typedef struct {
  float d, dmin;
  int16_t scales[16], mins[16];
  int8_t q[256];
} ck_block256;

CK_INLINE uint32_t ck_word(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, 4);
  return word;
}

CK_INLINE float ck_half_at(const uint8_t *bytes) {
  uint16_t half;
  memcpy(&half, bytes, 2);
  return ck_from_half(half);
}

CK_INLINE size_t ck_block_bytes(const uint32_t type) {
  switch (type) {
    case CK_MXFP4: return 17;
    case CK_Q4_0: case CK_IQ4_NL: case CK_Q2_B: case CK_Q2_0: return 18;
    case CK_Q4_1: return 20;
    case CK_Q5_0: return 22;
    case CK_Q5_1: return 24;
    case CK_Q8_0: return 34;
    case CK_IQ2_XXS: case CK_TQ2_0: return 66;
    case CK_IQ2_XS: return 74;
    case CK_IQ2_S: return 82;
    case CK_Q2_K: return 84;
    case CK_IQ3_XXS: return 98;
    case CK_Q3_K: case CK_IQ3_S: return 110;
    case CK_IQ4_XS: return 136;
    case CK_Q4_K: return 144;
    case CK_Q5_K: return 176;
    case CK_Q6_K: return 210;
    case CK_F32: return 4;
    default: return 2;
  }
}

/// Types of 64 values per block.
CK_INLINE bool ck_is_long(const uint32_t type) { return type == CK_Q2_B || type == CK_Q2_0; }

/// What the codes of a type stand for, or NULL where they are numbers.
CK_INLINE const int8_t *ck_code_values(const uint32_t type) {
  return type == CK_MXFP4 ? ck_e2m1_values : type == CK_IQ4_NL || type == CK_IQ4_XS ? ck_iq4_values : NULL;
}

/// Types of 32 or 64 values per block whose codes are offset: what 0 stands for is not 0.
CK_INLINE bool ck_has_offset(const uint32_t type) {
  return type != CK_Q8_0 && type != CK_IQ4_NL && type != CK_MXFP4;
}

/// Types of 256 values per block with mins.
CK_INLINE bool ck_has_mins(const uint32_t type) { return type == CK_Q2_K || type == CK_Q4_K || type == CK_Q5_K; }

/// Types whose codes are numbers of points in a grid.
CK_INLINE bool ck_has_grid(const uint32_t type) {
  return type == CK_IQ2_XXS || type == CK_IQ2_XS || type == CK_IQ2_S || type == CK_IQ3_XXS || type == CK_IQ3_S;
}

/// Scale and offset of a block of 32; an unsigned code's middle value is part of the offset.
CK_INLINE void ck_scale32(const uint32_t type, const uint8_t *block, float *d, float *m) {
  *d = type == CK_MXFP4 ? ck_half_of_power(block[0]) : ck_half_at(block);
  switch (type) {
    case CK_Q4_0: *m = -8 * *d; break;
    case CK_Q5_0: *m = -16 * *d; break;
    case CK_Q8_0: case CK_IQ4_NL: case CK_MXFP4: *m = 0; break;
    case CK_Q2_B: *m = -1.5f * *d; break;
    case CK_Q2_0: *m = -*d; break;
    default: *m = ck_half_at(block + 2);
  }
}

/// Which block of a row has its values from 32 `b` on.
CK_INLINE size_t ck_index32(const uint32_t type, size_t b) { return ck_is_long(type) ? b / 2 : b; }

/// `half` (0 or 1) is for blocks of 64.
CK_INLINE void ck_unpack32(const uint32_t type, const uint8_t *block, size_t half, ck_block32 *out) {
  ck_scale32(type, block, &out->d, &out->m);
  if (type == CK_Q8_0) {
    memcpy(out->q, block + 2, 32);
    return;
  }
  if (type == CK_Q2_B) {
    for (int i = 0; i < 32; i++) out->q[i] = block[2 + i % 16] >> (half * 4 + i / 16 * 2) & 3;
    return;
  }
  if (type == CK_Q2_0) {
    for (int i = 0; i < 32; i++) out->q[i] = block[2 + half * 8 + i / 4] >> i % 4 * 2 & 3;
    return;
  }
  const bool five = type == CK_Q5_0 || type == CK_Q5_1;
  const uint8_t *codes = block + ck_block_bytes(type) - 16;
  const int8_t *values = ck_code_values(type);
  if (values) {
    for (int i = 0; i < 16; i++) out->q[i] = values[codes[i] & 15], out->q[i + 16] = values[codes[i] >> 4];
    return;
  }
  uint32_t high = five ? ck_word(codes - 4) : 0;
  for (int i = 0; i < 16; i++) {
    out->q[i] = (codes[i] & 15) | (high >> i & 1) << 4;
    out->q[i + 16] = codes[i] >> 4 | (high >> (i + 16) & 1) << 4;
  }
}

/// The eight 6-bit scales and mins of Q4_K and Q5_K.
CK_INLINE void ck_scales_6bit(const uint8_t *packed, uint32_t scales[2], uint32_t mins[2]) {
  uint32_t a = ck_word(packed), b = ck_word(packed + 4), c = ck_word(packed + 8);
  scales[0] = a & 0x3f3f3f3f;
  scales[1] = (c & 0x0f0f0f0f) | (a >> 2 & 0x30303030);
  mins[0] = b & 0x3f3f3f3f;
  mins[1] = (c >> 4 & 0x0f0f0f0f) | (b >> 2 & 0x30303030);
}

/// The sixteen 6-bit scales of Q3_K, before 32 is taken off.
CK_INLINE void ck_scales_q3(const uint8_t *packed, uint32_t scales[4]) {
  uint32_t a = ck_word(packed), b = ck_word(packed + 4), c = ck_word(packed + 8);
  scales[0] = (a & 0x0f0f0f0f) | (c & 0x03030303) << 4;
  scales[1] = (b & 0x0f0f0f0f) | (c >> 2 & 0x03030303) << 4;
  scales[2] = (a >> 4 & 0x0f0f0f0f) | (c >> 4 & 0x03030303) << 4;
  scales[3] = (b >> 4 & 0x0f0f0f0f) | (c >> 6 & 0x03030303) << 4;
}

CK_INLINE void ck_unpack_q2(const uint8_t *block, ck_block256 *out) {
  out->d = ck_half_at(block + 80);
  out->dmin = ck_half_at(block + 82);
  for (int j = 0; j < 16; j++) {
    out->scales[j] = block[j] & 15;
    out->mins[j] = block[j] >> 4;
  }
  for (int i = 0; i < 256; i++)
    out->q[i] = block[16 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
}

CK_INLINE void ck_unpack_q3(const uint8_t *block, ck_block256 *out) {
  out->d = out->dmin = ck_half_at(block + 108);
  uint32_t words[4];
  ck_scales_q3(block + 96, words);
  for (int j = 0; j < 16; j++) {
    int scale = (int)(words[j / 4] >> (j % 4 * 8) & 255) - 32;
    out->scales[j] = scale;
    out->mins[j] = scale * 4;
  }
  for (int i = 0; i < 256; i++) {
    int low = block[32 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
    out->q[i] = low | (block[i % 32] >> (i / 32) & 1) << 2;
  }
}

CK_INLINE void ck_unpack_q45(const bool five, const uint8_t *block, ck_block256 *out) {
  out->d = ck_half_at(block);
  out->dmin = ck_half_at(block + 2);
  uint32_t scales[2], mins[2];
  ck_scales_6bit(block + 4, scales, mins);
  for (int j = 0; j < 16; j++) {
    out->scales[j] = scales[j / 8] >> (j / 2 % 4 * 8) & 255;
    out->mins[j] = mins[j / 8] >> (j / 2 % 4 * 8) & 255;
  }
  const uint8_t *high = block + 16, *codes = block + (five ? 48 : 16);
  for (int i = 0; i < 256; i++) {
    int low = codes[i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
    out->q[i] = five ? low | (high[i % 32] >> (i / 32) & 1) << 4 : low;
  }
}

CK_INLINE void ck_unpack_q6(const uint8_t *block, ck_block256 *out) {
  out->d = out->dmin = ck_half_at(block + 208);
  for (int j = 0; j < 16; j++) {
    int scale = (int8_t)block[192 + j];
    out->scales[j] = scale;
    out->mins[j] = scale * 32;
  }
  for (int i = 0; i < 256; i++) {
    const uint8_t *low = block + i / 128 * 64 + i % 64, *high = block + 128 + i / 128 * 32 + i % 32;
    out->q[i] = (*low >> (i / 64 % 2 * 4) & 15) | (*high >> (i / 32 % 4 * 2) & 3) << 4;
  }
}

CK_INLINE void ck_unpack_iq4(const uint8_t *block, ck_block256 *out) {
  out->d = ck_half_at(block), out->dmin = 0;
  for (int j = 0; j < 16; j++) out->scales[j] = ck_iq4_scale(block, j / 2), out->mins[j] = 0;
  for (int i = 0; i < 256; i++)
    out->q[i] = ck_iq4_values[block[8 + i / 32 * 16 + i % 16] >> (i / 16 % 2 * 4) & 15];
}

CK_INLINE void ck_unpack_tq2(const uint8_t *block, ck_block256 *out) {
  out->d = out->dmin = ck_half_at(block + 64);
  for (int j = 0; j < 16; j++) out->scales[j] = out->mins[j] = 1;
  for (int i = 0; i < 256; i++) out->q[i] = block[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
}

/// The points and signs of 32 values of a type with a grid, those from 32 `group` on.
CK_INLINE void ck_grid_group(const uint32_t type, const uint8_t *block, int group, uint64_t points[4],
                             uint32_t *signs) {
  const uint8_t *codes = block + 2 + group * (type == CK_IQ2_S ? 4 : 8);
  *signs = 0;
  if (type == CK_IQ2_S) *signs = ck_word(block + 34 + 4 * group);
  if (type == CK_IQ3_S) *signs = ck_word(block + 74 + 4 * group);
  const uint32_t rest = type == CK_IQ2_XXS ? ck_word(codes + 4) : type == CK_IQ3_XXS ? ck_word(block + 66 + 4 * group) : 0;
#pragma clang loop unroll(full)
  for (int l = 0; l < 4; l++) {
    if (type == CK_IQ2_XXS) points[l] = ck_grid_iq2_xxs[codes[l]];
    if (type == CK_IQ2_XS) {
      const uint32_t code = codes[2 * l] | (uint32_t)codes[2 * l + 1] << 8;
      points[l] = ck_grid_iq2_xs[code & 511];
      *signs |= ck_even_signs(code >> 9) << 8 * l;
    }
    if (type == CK_IQ2_S) points[l] = ck_grid_iq2_s[codes[l] | (block[66 + group] >> 2 * l & 3) << 8];
    if (type == CK_IQ3_XXS) points[l] = ck_grid_iq3_xxs[codes[2 * l]] | (uint64_t)ck_grid_iq3_xxs[codes[2 * l + 1]] << 32;
    if (type == CK_IQ3_S) {
      const uint32_t high = (uint32_t)block[66 + group] << 8;
      points[l] = ck_grid_iq3_s[codes[2 * l] | (high >> 2 * l & 256)] |
                  (uint64_t)ck_grid_iq3_s[codes[2 * l + 1] | (high >> (2 * l + 1) & 256)] << 32;
    }
    if (type == CK_IQ2_XXS || type == CK_IQ3_XXS) *signs |= ck_even_signs(rest >> 7 * l & 127) << 8 * l;
  }
}

/// What a type with a grid multiplies its odd scales with.
CK_INLINE float ck_grid_scale(const uint32_t type) {
  return type == CK_IQ3_S ? 1 : type == CK_IQ3_XXS ? 0.25f : 0.125f;
}

/// The scale of 16 values of a type with a grid, odd: those from 16 `j` on.
CK_INLINE int ck_grid_odd(const uint32_t type, const uint8_t *block, int j) {
  switch (type) {
    case CK_IQ2_XXS: return 2 * (block[2 + j / 2 * 8 + 7] >> 4) + 1;
    case CK_IQ3_XXS: return 2 * (block[66 + j / 2 * 4 + 3] >> 4) + 1;
    case CK_IQ3_S: return 2 * (block[106 + j / 4] >> j / 2 % 2 * 4 & 15) + 1;
    default: return 2 * (block[ck_block_bytes(type) - 8 + j / 2] >> j % 2 * 4 & 15) + 1;
  }
}

CK_INLINE void ck_unpack_grid(const uint32_t type, const uint8_t *block, ck_block256 *out) {
  out->d = ck_half_at(block) * ck_grid_scale(type), out->dmin = 0;
  for (int j = 0; j < 16; j++) out->scales[j] = ck_grid_odd(type, block, j), out->mins[j] = 0;
  for (int g = 0; g < 8; g++) {
    uint64_t points[4];
    uint32_t signs;
    ck_grid_group(type, block, g, points, &signs);
    for (int i = 0; i < 32; i++) {
      const int size = points[i / 8] >> (i % 8 * 8) & 255;
      out->q[g * 32 + i] = signs >> i & 1 ? -size : size;
    }
  }
}

CK_INLINE void ck_unpack256(const uint32_t type, const uint8_t *block, ck_block256 *out) {
  if (ck_has_grid(type)) return ck_unpack_grid(type, block, out);
  switch (type) {
    case CK_IQ4_XS: ck_unpack_iq4(block, out); break;
    case CK_TQ2_0: ck_unpack_tq2(block, out); break;
    case CK_Q2_K: ck_unpack_q2(block, out); break;
    case CK_Q3_K: ck_unpack_q3(block, out); break;
    case CK_Q4_K: ck_unpack_q45(false, block, out); break;
    case CK_Q5_K: ck_unpack_q45(true, block, out); break;
    default: ck_unpack_q6(block, out);
  }
}

#endif
