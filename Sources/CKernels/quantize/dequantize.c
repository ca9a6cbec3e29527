#include "blocks.h"

// Formats of 32 values per block. The low nibbles of 16 bytes are values 0 to 15, the high nibbles 16 to 31.

void ck_dequantize_q4_0(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 18, values += 32) {
    float d = load_half(bytes);
    const uint8_t *q = bytes + 2;
    for (int j = 0; j < 16; j++) {
      values[j] = d * (float)((q[j] & 15) - 8);
      values[j + 16] = d * (float)((q[j] >> 4) - 8);
    }
  }
}

void ck_dequantize_q4_1(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 20, values += 32) {
    float d = load_half(bytes), m = load_half(bytes + 2);
    const uint8_t *q = bytes + 4;
    for (int j = 0; j < 16; j++) {
      values[j] = d * (float)(q[j] & 15) + m;
      values[j + 16] = d * (float)(q[j] >> 4) + m;
    }
  }
}

void ck_dequantize_q5_0(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 22, values += 32) {
    float d = load_half(bytes);
    uint32_t high = load_u32(bytes + 2);
    const uint8_t *q = bytes + 6;
    for (int j = 0; j < 16; j++) {
      int low_value = (q[j] & 15) | (int)(high >> j & 1) << 4;
      int high_value = (q[j] >> 4) | (int)(high >> (j + 16) & 1) << 4;
      values[j] = d * (float)(low_value - 16);
      values[j + 16] = d * (float)(high_value - 16);
    }
  }
}

void ck_dequantize_q5_1(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 24, values += 32) {
    float d = load_half(bytes), m = load_half(bytes + 2);
    uint32_t high = load_u32(bytes + 4);
    const uint8_t *q = bytes + 8;
    for (int j = 0; j < 16; j++) {
      int low_value = (q[j] & 15) | (int)(high >> j & 1) << 4;
      int high_value = (q[j] >> 4) | (int)(high >> (j + 16) & 1) << 4;
      values[j] = d * (float)low_value + m;
      values[j + 16] = d * (float)high_value + m;
    }
  }
}

void ck_dequantize_q8_0(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 34, values += 32) {
    float d = load_half(bytes);
    for (int j = 0; j < 32; j++) values[j] = (float)(int8_t)bytes[2 + j] * d;
  }
}
