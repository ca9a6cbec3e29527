#include "blocks.h"
#include "../grids.h"

// Formats whose codes are numbers of points in a grid: the sizes of four or eight values at once, with their signs
// apart. A scale s of a group counts 2 s + 1, which the formats write as (s + 1/2) times a power of two.

/// `count` values of sizes `point`, negative where a bit of `signs` is set.
static void put(const uint8_t *point, int count, unsigned signs, float scale, float *values) {
  for (int i = 0; i < count; i++) {
    float value = scale * (float)point[i];
    values[i] = signs >> i & 1 ? -value : value;
  }
}

void ck_dequantize_iq2_xxs(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 66) {
    float d = load_half(bytes);
    for (int group = 0; group < 8; group++) {
      const uint8_t *points = bytes + 2 + 8 * group;
      uint32_t rest = load_u32(points + 4);
      float scale = d * (0.5f + (float)(rest >> 28)) * 0.25f;
      for (int l = 0; l < 4; l++, values += 8)
        put((const uint8_t *)&ck_grid_iq2_xxs[points[l]], 8, ck_even_signs(rest >> 7 * l & 127), scale, values);
    }
  }
}

void ck_dequantize_iq2_xs(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 74) {
    float d = load_half(bytes);
    for (int l = 0; l < 32; l++, values += 8) {
      unsigned code = bytes[2 + 2 * l] | (unsigned)bytes[3 + 2 * l] << 8;
      float scale = d * (0.5f + (float)(bytes[66 + l / 4] >> l / 2 % 2 * 4 & 15)) * 0.25f;
      put((const uint8_t *)&ck_grid_iq2_xs[code & 511], 8, ck_even_signs(code >> 9), scale, values);
    }
  }
}

void ck_dequantize_iq2_s(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 82) {
    float d = load_half(bytes);
    for (int l = 0; l < 32; l++, values += 8) {
      unsigned code = bytes[2 + l] | (unsigned)(bytes[66 + l / 4] >> l % 4 * 2 & 3) << 8;
      float scale = d * (0.5f + (float)(bytes[74 + l / 4] >> l / 2 % 2 * 4 & 15)) * 0.25f;
      put((const uint8_t *)&ck_grid_iq2_s[code], 8, bytes[34 + l], scale, values);
    }
  }
}

void ck_dequantize_iq3_xxs(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 98) {
    float d = load_half(bytes);
    for (int l = 0; l < 64; l++, values += 4) {
      uint32_t rest = load_u32(bytes + 66 + l / 8 * 4);
      float scale = d * (0.5f + (float)(rest >> 28)) * 0.5f;
      unsigned signs = ck_even_signs(rest >> l % 8 / 2 * 7 & 127) >> l % 2 * 4;
      put((const uint8_t *)&ck_grid_iq3_xxs[bytes[2 + l]], 4, signs, scale, values);
    }
  }
}

void ck_dequantize_iq3_s(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 110) {
    float d = load_half(bytes);
    for (int l = 0; l < 64; l++, values += 4) {
      unsigned code = bytes[2 + l] | (unsigned)(bytes[66 + l / 8] >> l % 8 & 1) << 8;
      float scale = d * (float)(1 + 2 * (bytes[106 + l / 16] >> l / 8 % 2 * 4 & 15));
      put((const uint8_t *)&ck_grid_iq3_s[code], 4, (unsigned)bytes[74 + l / 2] >> l % 2 * 4, scale, values);
    }
  }
}
