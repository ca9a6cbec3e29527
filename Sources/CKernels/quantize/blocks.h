#ifndef CKERNELS_BLOCKS_H
#define CKERNELS_BLOCKS_H

#include <stdint.h>
#include <string.h>

#include "quantize.h"

// Fused multiply-add would round once where the format's definition rounds twice.
#pragma STDC FP_CONTRACT OFF

/// The f16 at `bytes`, which need not be aligned.
static inline float load_half(const uint8_t *bytes) {
  return ck_half_to_float((uint16_t)(bytes[0] | bytes[1] << 8));
}

static inline void store_half(uint8_t *bytes, float value) {
  uint16_t half = ck_float_to_half(value);
  bytes[0] = (uint8_t)half;
  bytes[1] = (uint8_t)(half >> 8);
}

static inline uint32_t load_u32(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/// Scale and minimum of group `j` (0 to 7) from the 12 bytes that hold eight 6-bit pairs in Q4_K and Q5_K.
static inline void unpack_scale(const uint8_t *packed, int j, uint8_t *scale, uint8_t *min) {
  if (j < 4) {
    *scale = packed[j] & 63;
    *min = packed[j + 4] & 63;
  } else {
    *scale = (uint8_t)((packed[j + 4] & 15) | (packed[j - 4] >> 6) << 4);
    *min = (uint8_t)((packed[j + 4] >> 4) | (packed[j] >> 6) << 4);
  }
}

#endif
