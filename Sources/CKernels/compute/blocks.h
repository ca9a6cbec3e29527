// Unpacks blocks of quantized weights to int8 and scales, in portable C; layouts as in GGUF.
#ifndef CKERNELS_BLOCKS_H
#define CKERNELS_BLOCKS_H

#include "variant.h"
#include "vector.h"

/// weight = d * q + m; of Q2_B, whose blocks are twice as long, one half
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
    case CK_Q4_0: case CK_Q2_B: return 18;
    case CK_Q4_1: return 20;
    case CK_Q5_0: return 22;
    case CK_Q5_1: return 24;
    case CK_Q8_0: return 34;
    case CK_Q2_K: return 84;
    case CK_Q3_K: return 110;
    case CK_Q4_K: return 144;
    case CK_Q5_K: return 176;
    case CK_Q6_K: return 210;
    case CK_F32: return 4;
    default: return 2;
  }
}

/// Scale and offset of a block of 32; an unsigned code's middle value is part of the offset.
CK_INLINE void ck_scale32(const uint32_t type, const uint8_t *block, float *d, float *m) {
  *d = ck_half_at(block);
  switch (type) {
    case CK_Q4_0: *m = -8 * *d; break;
    case CK_Q5_0: *m = -16 * *d; break;
    case CK_Q8_0: *m = 0; break;
    case CK_Q2_B: *m = -1.5f * *d; break;
    default: *m = ck_half_at(block + 2);
  }
}

/// Which block of a row has its values from 32 `b` on.
CK_INLINE size_t ck_index32(const uint32_t type, size_t b) { return type == CK_Q2_B ? b / 2 : b; }

/// `half` (0 or 1) is for Q2_B.
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
  const bool five = type == CK_Q5_0 || type == CK_Q5_1;
  const uint8_t *codes = block + ck_block_bytes(type) - 16;
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

CK_INLINE void ck_unpack256(const uint32_t type, const uint8_t *block, ck_block256 *out) {
  switch (type) {
    case CK_Q2_K: ck_unpack_q2(block, out); break;
    case CK_Q3_K: ck_unpack_q3(block, out); break;
    case CK_Q4_K: ck_unpack_q45(false, block, out); break;
    case CK_Q5_K: ck_unpack_q45(true, block, out); break;
    default: ck_unpack_q6(block, out);
  }
}

#endif
