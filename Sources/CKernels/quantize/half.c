#include "blocks.h"

static inline float float_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

// Without branches, so that loops over it are done in vectors.
static inline float float_of_half(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = (uint32_t)(half & 0x7fff) << 13;
  // Exact, also where the half is subnormal, as binary32 is then, too.
  const uint32_t finite = bits_of_float(float_from_bits(magnitude) * 0x1p112f);
  const uint32_t quiet = magnitude > 0x0f800000 ? 0x400000 : 0;
  return float_from_bits(sign | (magnitude < 0x0f800000 ? finite : magnitude | 0x7f800000 | quiet));
}

float ck_half_to_float(uint16_t half) { return float_of_half(half); }

uint16_t ck_float_to_half(float value) {
  uint32_t bits = bits_of_float(value);
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  }
  // From 65,520 on, the nearest representable number would be 65,536.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below 2^-14 the addition aligns the steps of 2^-24 with the last bit of 0.5 and rounds to even.
    float aligned = float_from_bits(magnitude) + 0.5f;
    return (uint16_t)(sign | (bits_of_float(aligned) - 0x3f000000));
  }
  uint32_t odd = magnitude >> 13 & 1;
  magnitude += 0xfff + odd - ((127 - 15) << 23);
  return (uint16_t)(sign | magnitude >> 13);
}

void ck_dequantize_f16(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++) {
    uint16_t half;
    memcpy(&half, bytes + 2 * i, 2);
    values[i] = float_of_half(half);
  }
}

void ck_quantize_f16(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++) store_half(bytes + 2 * i, values[i]);
}

void ck_dequantize_bf16(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++) {
    values[i] = float_from_bits((uint32_t)bytes[2 * i] << 16 | (uint32_t)bytes[2 * i + 1] << 24);
  }
}

void ck_quantize_bf16(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++) {
    uint32_t bits = bits_of_float(values[i]);
    if ((bits & 0x7fffffff) > 0x7f800000) {
      bits = (bits & 0xffff0000) | 0x400000;
    } else {
      bits += 0x7fff + (bits >> 16 & 1);
    }
    bytes[2 * i] = (uint8_t)(bits >> 16);
    bytes[2 * i + 1] = (uint8_t)(bits >> 24);
  }
}
