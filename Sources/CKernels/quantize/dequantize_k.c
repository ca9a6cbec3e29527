#include "blocks.h"

// Formats of 256 values per block, in groups that have their own scale, itself quantized.

void ck_dequantize_q2_k(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 84, values += 256) {
    const uint8_t *scales = bytes, *q = bytes + 16;
    float d = load_half(bytes + 80), dmin = load_half(bytes + 82);
    // Byte l of a half holds four values, 32 apart, two bits each.
    for (int n = 0; n < 256; n++) {
      int half = n >> 7, shift = n >> 4 & 6;
      float scale = d * (float)(scales[n >> 4] & 15);
      float min = dmin * (float)(scales[n >> 4] >> 4);
      values[n] = scale * (float)(q[32 * half + (n & 31)] >> shift & 3) - min;
    }
  }
}

void ck_dequantize_q3_k(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 110, values += 256) {
    const uint8_t *mask = bytes, *q = bytes + 32, *packed = bytes + 96;
    float d = load_half(bytes + 108);
    for (int n = 0; n < 256; n++) {
      int group = n >> 4, half = n >> 7, shift = n >> 4 & 6;
      int low = group < 8 ? packed[group] & 15 : packed[group - 8] >> 4;
      int high = packed[8 + (group & 3)] >> (group >> 2 << 1) & 3;
      float scale = d * (float)((low | high << 4) - 32);
      // The third bit counts 4 when it is clear.
      int third = mask[n & 31] >> (n >> 5) & 1;
      int value = (q[32 * half + (n & 31)] >> shift & 3) - (third ? 0 : 4);
      values[n] = scale * (float)value;
    }
  }
}

void ck_dequantize_q4_k(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 144, values += 256) {
    float d = load_half(bytes), dmin = load_half(bytes + 2);
    for (int group = 0; group < 8; group++) {
      uint8_t sc, m;
      unpack_scale(bytes + 4, group, &sc, &m);
      float scale = d * (float)sc, min = dmin * (float)m;
      const uint8_t *q = bytes + 16 + 32 * (group >> 1);
      int shift = group & 1 ? 4 : 0;
      for (int l = 0; l < 32; l++) {
        values[32 * group + l] = scale * (float)(q[l] >> shift & 15) - min;
      }
    }
  }
}

void ck_dequantize_q5_k(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 176, values += 256) {
    float d = load_half(bytes), dmin = load_half(bytes + 2);
    const uint8_t *high = bytes + 16;
    for (int group = 0; group < 8; group++) {
      uint8_t sc, m;
      unpack_scale(bytes + 4, group, &sc, &m);
      float scale = d * (float)sc, min = dmin * (float)m;
      const uint8_t *q = bytes + 48 + 32 * (group >> 1);
      int shift = group & 1 ? 4 : 0;
      for (int l = 0; l < 32; l++) {
        int value = (q[l] >> shift & 15) | (high[l] >> group & 1) << 4;
        values[32 * group + l] = scale * (float)value - min;
      }
    }
  }
}

void ck_dequantize_q6_k(const uint8_t *bytes, float *values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 210, values += 256) {
    const uint8_t *scales = bytes + 192;
    float d = load_half(bytes + 208);
    // In each half of 128, quarter k takes a nibble of ql and bits 2k, 2k+1 of qh.
    for (int n = 0; n < 256; n++) {
      int half = n >> 7, quarter = n >> 5 & 3, l = n & 31;
      const uint8_t *low = bytes + 64 * half, *high = bytes + 128 + 32 * half;
      int nibble = low[l + 32 * (quarter & 1)] >> (quarter >> 1 << 2) & 15;
      int value = (nibble | (high[l] >> (2 * quarter) & 3) << 4) - 32;
      values[n] = d * (float)(int8_t)scales[n >> 4] * (float)value;
    }
  }
}
