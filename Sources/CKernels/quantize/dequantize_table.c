#include "blocks.h"
#include "../codes.h"

// Formats whose codes stand for the values of a table, or for few whole numbers.

void ck_dequantize_iq4_nl(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 18, values += 32) {
    float d = load_half(bytes);
    for (int j = 0; j < 16; j++) {
      values[j] = d * (float)ck_iq4_values[bytes[2 + j] & 15];
      values[j + 16] = d * (float)ck_iq4_values[bytes[2 + j] >> 4];
    }
  }
}

void ck_dequantize_iq4_xs(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 136) {
    float d = load_half(bytes);
    for (int group = 0; group < 8; group++, values += 32) {
      float scale = d * (float)ck_iq4_scale(bytes, group);
      const uint8_t *q = bytes + 8 + 16 * group;
      for (int j = 0; j < 16; j++) {
        values[j] = scale * (float)ck_iq4_values[q[j] & 15];
        values[j + 16] = scale * (float)ck_iq4_values[q[j] >> 4];
      }
    }
  }
}

void ck_dequantize_mxfp4(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 17, values += 32) {
    float d = ck_half_of_power(bytes[0]);
    for (int j = 0; j < 16; j++) {
      values[j] = d * (float)ck_e2m1_values[bytes[1 + j] & 15];
      values[j + 16] = d * (float)ck_e2m1_values[bytes[1 + j] >> 4];
    }
  }
}

/// Byte j holds values 4 j to 4 j + 3; codes 0, 1, 2, 3 stand for -1, 0, 1, 2.
void ck_dequantize_q2_0(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 18, values += 64) {
    float d = load_half(bytes);
    for (int n = 0; n < 64; n++) values[n] = (float)((bytes[2 + n / 4] >> n % 4 * 2 & 3) - 1) * d;
  }
}

/// Codes as in Q2_K; 0, 1, 2 stand for -1, 0, 1.
void ck_dequantize_tq2_0(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 66, values += 256) {
    float d = load_half(bytes + 64);
    for (int group = 0; group < 8; group++) {
      const uint8_t *q = bytes + 32 * (group >> 2);
      const int shift = 2 * (group & 3);
      for (int l = 0; l < 32; l++) values[32 * group + l] = d * (float)((q[l] >> shift & 3) - 1);
    }
  }
}
