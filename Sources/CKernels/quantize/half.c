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

float ck_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 31;
  uint32_t fraction = half & 0x3ff;
  if (exponent == 0) {
    // Zero or subnormal: the fraction counts steps of 2^-24, which binary32 holds exactly.
    float magnitude = (float)fraction * 0x1p-24f;
    return float_from_bits(sign | bits_of_float(magnitude));
  }
  if (exponent == 31) {
    uint32_t quiet = fraction ? 0x400000 : 0;
    return float_from_bits(sign | 0x7f800000 | quiet | fraction << 13);
  }
  return float_from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

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

void ck_dequantize_f16(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++) values[i] = load_half(bytes + 2 * i);
}

void ck_quantize_f16(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++) store_half(bytes + 2 * i, values[i]);
}

void ck_dequantize_bf16(const uint8_t *bytes, float *values, size_t blocks) {
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
