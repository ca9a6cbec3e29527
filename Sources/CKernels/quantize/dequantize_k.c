#include "blocks.h"

// Formats of 256 values per block, in groups that have their own scale, itself quantized.

void ck_dequantize_q2_k(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 84, values += 256) {
    const uint8_t *scales = bytes, *q = bytes + 16;
    float d = load_half(bytes + 80), dmin = load_half(bytes + 82);
    // Byte l of a half holds four values, 32 apart, two bits each.
    for (int group = 0; group < 16; group++) {
      const uint8_t *some = q + 32 * (group >> 3) + 16 * (group & 1);
      const int shift = group & 6;
      const float scale = d * (float)(scales[group] & 15), min = dmin * (float)(scales[group] >> 4);
      for (int l = 0; l < 16; l++) values[16 * group + l] = scale * (float)(some[l] >> shift & 3) - min;
    }
  }
}

void ck_dequantize_q3_k(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 110, values += 256) {
    const uint8_t *mask = bytes, *q = bytes + 32, *packed = bytes + 96;
    float d = load_half(bytes + 108);
    for (int group = 0; group < 16; group++) {
      int low = group < 8 ? packed[group] & 15 : packed[group - 8] >> 4;
      int high = packed[8 + (group & 3)] >> (group >> 2 << 1) & 3;
      const float scale = d * (float)((low | high << 4) - 32);
      const uint8_t *some = q + 32 * (group >> 3) + 16 * (group & 1), *third = mask + 16 * (group & 1);
      const int shift = group & 6, bit = group >> 1;
      for (int l = 0; l < 16; l++) {
        // The third bit takes 4 away when it is clear.
        const int value = (some[l] >> shift & 3) + 4 * (third[l] >> bit & 1) - 4;
        values[16 * group + l] = scale * (float)value;
      }
    }
  }
}

void ck_dequantize_q4_k(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
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

void ck_dequantize_q5_k(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
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

void ck_dequantize_q6_k(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 210, values += 256) {
    const uint8_t *scales = bytes + 192;
    float d = load_half(bytes + 208);
    // In each half of 128, quarter k takes a nibble of ql and bits 2k, 2k+1 of qh.
    for (int group = 0; group < 16; group++) {
      const int half = group >> 3, quarter = group >> 1 & 3, first = 16 * (group & 1);
      const uint8_t *low = bytes + 64 * half + 32 * (quarter & 1) + first, *high = bytes + 128 + 32 * half + first;
      const int nibble = quarter >> 1 << 2, bits = 2 * quarter;
      const float scale = d * (float)(int8_t)scales[group];
      for (int l = 0; l < 16; l++) {
        const int value = ((low[l] >> nibble & 15) | (high[l] >> bits & 3) << 4) - 32;
        values[16 * group + l] = scale * (float)value;
      }
    }
  }
}
