// Products with quantized weights over unpacked blocks. The including file defines ck_dot16, the sum of
// 16 products of int8; with the portable one this is the reference for all other variants.
#ifndef CKERNELS_TILES_H
#define CKERNELS_TILES_H

#include "blocks.h"
#include "tiled.h"

/// Block `b` of row `r`: where it is, or copied out of a tile into `buffer`.
CK_INLINE const uint8_t *ck_block_at(const uint32_t type, const bool tiled, const uint8_t *weights,
                                     size_t row_bytes, size_t r, size_t b, uint8_t buffer[256]) {
  if (!tiled) return weights + r * row_bytes + b * ck_block_bytes(type);
  const uint8_t *tile = weights + r / CK_TILE_ROWS * CK_TILE_ROWS * row_bytes;
  ck_untile_block(type, CK_TILE_ROWS, tile, b, r % CK_TILE_ROWS, buffer);
  return buffer;
}

CK_INLINE void ck_tile32(const uint32_t type, const bool tiled, size_t columns, const uint8_t *weights,
                         size_t row_bytes, size_t rows, const uint8_t *x, size_t x_bytes,
                         size_t batch, float *y, size_t y_stride) {
  for (size_t r = 0; r < rows; r++) {
    float sums[CK_TILE] = {0};
    for (size_t b = 0; b < columns / 32; b++) {
      ck_block32 block;
      uint8_t buffer[256];
      const size_t at = ck_index32(type, b);
      ck_unpack32(type, ck_block_at(type, tiled, weights, row_bytes, r, at, buffer), b % 2, &block);
      for (size_t n = 0; n < batch; n++) {
        const uint8_t *row = x + n * x_bytes;
        const int8_t *q = ck_values(row, columns) + b * 32;
        const int32_t dot = ck_dot16(block.q, q) + ck_dot16(block.q + 16, q + 16);
        sums[n] += block.d * ck_scales(row)[b] * (float)dot + block.m * ck_totals(row, columns)[b];
      }
    }
    for (size_t n = 0; n < batch; n++) y[n * y_stride + r] = sums[n];
  }
}

CK_INLINE void ck_tile256(const uint32_t type, const bool tiled, size_t columns, const uint8_t *weights,
                          size_t row_bytes, size_t rows, const uint8_t *x, size_t x_bytes,
                          size_t batch, float *y, size_t y_stride) {
  for (size_t r = 0; r < rows; r++) {
    float sums[CK_TILE] = {0};
    for (size_t b = 0; b < columns / 256; b++) {
      ck_block256 block;
      uint8_t buffer[256];
      ck_unpack256(type, ck_block_at(type, tiled, weights, row_bytes, r, b, buffer), &block);
      for (size_t n = 0; n < batch; n++) {
        const uint8_t *row = x + n * x_bytes;
        const int8_t *q = ck_values(row, columns) + b * 256;
        const int16_t *halves = ck_half_sums(row, columns) + b * 16;
        float product = 0, offset = 0;
        for (int j = 0; j < 16; j += 2) {
          const float scale = ck_scales(row)[b * 8 + j / 2];
          product += scale * (float)(block.scales[j] * ck_dot16(block.q + j * 16, q + j * 16) +
                                     block.scales[j + 1] * ck_dot16(block.q + j * 16 + 16, q + j * 16 + 16));
          offset += scale * (float)(block.mins[j] * halves[j] + block.mins[j + 1] * halves[j + 1]);
        }
        sums[n] += block.d * product - block.dmin * offset;
      }
    }
    for (size_t n = 0; n < batch; n++) y[n * y_stride + r] = sums[n];
  }
}

#define CK_QUANTIZED_TILE(name, kernel, type, tiled)                                                    \
  static void name(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,       \
                   const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) { \
    kernel(type, tiled, columns, weights, row_bytes, rows, x, x_bytes, batch, y, y_stride);          \
  }
CK_QUANTIZED_TILE(ck_tile_q4_0, ck_tile32, CK_Q4_0, false)
CK_QUANTIZED_TILE(ck_tile_q4_1, ck_tile32, CK_Q4_1, false)
CK_QUANTIZED_TILE(ck_tile_q5_0, ck_tile32, CK_Q5_0, false)
CK_QUANTIZED_TILE(ck_tile_q5_1, ck_tile32, CK_Q5_1, false)
CK_QUANTIZED_TILE(ck_tile_q8_0, ck_tile32, CK_Q8_0, false)
CK_QUANTIZED_TILE(ck_tile_q2_B, ck_tile32, CK_Q2_B, false)
CK_QUANTIZED_TILE(ck_tile_q2_K, ck_tile256, CK_Q2_K, false)
CK_QUANTIZED_TILE(ck_tile_q3_K, ck_tile256, CK_Q3_K, false)
CK_QUANTIZED_TILE(ck_tile_q4_K, ck_tile256, CK_Q4_K, false)
CK_QUANTIZED_TILE(ck_tile_q5_K, ck_tile256, CK_Q5_K, false)
CK_QUANTIZED_TILE(ck_tile_q6_K, ck_tile256, CK_Q6_K, false)
CK_QUANTIZED_TILE(ck_tile_q2_0, ck_tile32, CK_Q2_0, false)
CK_QUANTIZED_TILE(ck_tile_mxfp4, ck_tile32, CK_MXFP4, false)
CK_QUANTIZED_TILE(ck_tile_iq4_nl, ck_tile32, CK_IQ4_NL, false)
CK_QUANTIZED_TILE(ck_tile_iq4_xs, ck_tile256, CK_IQ4_XS, false)
CK_QUANTIZED_TILE(ck_tile_tq2_0, ck_tile256, CK_TQ2_0, false)
CK_QUANTIZED_TILE(ck_tile_iq2_xxs, ck_tile256, CK_IQ2_XXS, false)
CK_QUANTIZED_TILE(ck_tile_iq2_xs, ck_tile256, CK_IQ2_XS, false)
CK_QUANTIZED_TILE(ck_tile_iq2_s, ck_tile256, CK_IQ2_S, false)
CK_QUANTIZED_TILE(ck_tile_iq3_xxs, ck_tile256, CK_IQ3_XXS, false)
CK_QUANTIZED_TILE(ck_tile_iq3_s, ck_tile256, CK_IQ3_S, false)

#endif
