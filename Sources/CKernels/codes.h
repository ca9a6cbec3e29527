// What codes stand for in formats that have a table of values.
#ifndef CKERNELS_CODES_H
#define CKERNELS_CODES_H

#include <stdint.h>
#include <string.h>

/// The values of IQ4_NL and IQ4_XS.
static const int8_t ck_iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// Twice the values of E2M1, four bits of OCP's microscaling formats 1.0, which MXFP4 has under a scale of E8M0.
static const int8_t ck_e2m1_values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Half of 2^(exponent - 127), the scale of the doubled values.
static inline float ck_half_of_power(uint8_t exponent) {
  const uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (uint32_t)(exponent - 1) << 23;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

/// The scale of 32 values of a block of IQ4_XS, -32 to 31: four bits of its byte 4 + group / 2, and two above them.
static inline int ck_iq4_scale(const uint8_t *block, int group) {
  const int high = block[2 + group / 4] >> group % 4 * 2 & 3;
  return ((block[4 + group / 2] >> group % 2 * 4 & 15) | high << 4) - 32;
}

#endif
