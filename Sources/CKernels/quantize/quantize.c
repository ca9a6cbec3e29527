#include <math.h>

#include "blocks.h"

/// `value` as an integer from `low` to `high`; NaN becomes `low`.
static inline int clamp_to_int(float value, int low, int high) {
  return value >= (float)high ? high : value >= (float)low ? (int)value : low;
}

void ck_quantize_q4_0(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 18, values += 32) {
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
