#include "fit.h"

/// `value` as an integer from `low` to `high`; NaN becomes `low`.
static inline int clamp_to_int(float value, int low, int high) {
  return value >= (float)high ? high : value >= (float)low ? (int)value : low;
}

static void quantize_plain_q4_0(const float *values, uint8_t *bytes) {
  // The value of largest magnitude becomes exactly -8: the range reaches further below zero than above.
  float extreme = values[0];
  for (int j = 1; j < 32; j++) {
    if (fabsf(values[j]) > fabsf(extreme)) extreme = values[j];
  }
  float d = extreme / -8;
  float inverse = d != 0 ? 1 / d : 0;
  store_half(bytes, d);
  for (int j = 0; j < 16; j++) {
    int low = clamp_to_int(values[j] * inverse + 8.5f, 0, 15);
    int high = clamp_to_int(values[j + 16] * inverse + 8.5f, 0, 15);
    bytes[2 + j] = (uint8_t)(low | high << 4);
  }
}

/// With the mean square of the row, by which small values count for more than their size.
static void quantize_weighted_q4_0(
    const float *values, const float *importance, float mean_square, uint8_t *bytes) {
  float weights[32];
  uint8_t codes[32];
  for (int j = 0; j < 32; j++) weights[j] = importance[j] * sqrtf(mean_square + values[j] * values[j]);
  store_half(bytes, fit_scale(32, 8, values, weights, codes));
  for (int j = 0; j < 16; j++) bytes[2 + j] = (uint8_t)(codes[j] | codes[j + 16] << 4);
}

void ck_quantize_q4_0(
    const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks) {
  float mean_square = 0;
  for (size_t i = 0; i < blocks; i++, bytes += 18, values += 32) {
    if (!importance) {
      quantize_plain_q4_0(values, bytes);
      continue;
    }
    const size_t place = i % row_blocks;
    if (place == 0) {
      float sum = 0;
      for (size_t j = 0; j < 32 * row_blocks; j++) sum += values[j] * values[j];
      mean_square = sum / (float)(32 * row_blocks);
    }
    quantize_weighted_q4_0(values, importance + 32 * place, mean_square, bytes);
  }
}

void ck_quantize_q8_0(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 34, values += 32) {
    float extreme = 0;
    for (int j = 0; j < 32; j++) extreme = fmaxf(extreme, fabsf(values[j]));
    float d = extreme / 127;
    float inverse = d != 0 ? 1 / d : 0;
    store_half(bytes, d);
    for (int j = 0; j < 32; j++) {
      bytes[2 + j] = (uint8_t)clamp_to_int(roundf(values[j] * inverse), -127, 127);
    }
  }
}
