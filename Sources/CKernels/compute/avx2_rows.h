// All products with quantized weights for AVX2, in rows and in tiles of 8 rows; variants that extend AVX2 take them
// for what they have no better kernels for.
#ifndef CKERNELS_AVX2_ROWS_H
#define CKERNELS_AVX2_ROWS_H

#include "avx2_blocks32.h"
#include "avx2_blocks256.h"
#include "avx2_tiled256.h"

// Several weight rows at once where there are few activation rows: enough independent sums to hide the
// latency of one. Each sum is computed alike in every tile.
#define CK_ROWS(kernel, type, R, N)                                                             \
  do {                                                                                          \
    size_t r = 0;                                                                               \
    for (; r + R <= rows; r += R)                                                               \
      kernel(type, R, N, columns, weights + r * row_bytes, row_bytes, x, x_bytes, y + r, y_stride); \
    for (; r < rows; r++)                                                                       \
      kernel(type, 1, N, columns, weights + r * row_bytes, row_bytes, x, x_bytes, y + r, y_stride); \
  } while (0)

#define CK_QUANTIZED_TILE(name, kernel, type)                                                   \
  static void name(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,      \
                   const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) { \
    switch (batch) {                                                                            \
      case 1: CK_ROWS(kernel, type, 4, 1); break;                                               \
      case 2: CK_ROWS(kernel, type, 2, 2); break;                                               \
      case 3: CK_ROWS(kernel, type, 2, 3); break;                                               \
      case 4: CK_ROWS(kernel, type, 2, 4); break;                                               \
      case 5: CK_ROWS(kernel, type, 1, 5); break;                                               \
      case 6: CK_ROWS(kernel, type, 1, 6); break;                                               \
      case 7: CK_ROWS(kernel, type, 1, 7); break;                                               \
      case 8: CK_ROWS(kernel, type, 1, 8); break;                                               \
    }                                                                                           \
  }
CK_QUANTIZED_TILE(ck_tile_q4_0, ck_rows32, CK_Q4_0)
CK_QUANTIZED_TILE(ck_tile_q4_1, ck_rows32, CK_Q4_1)
CK_QUANTIZED_TILE(ck_tile_q5_0, ck_rows32, CK_Q5_0)
CK_QUANTIZED_TILE(ck_tile_q5_1, ck_rows32, CK_Q5_1)
CK_QUANTIZED_TILE(ck_tile_q8_0, ck_rows32, CK_Q8_0)
CK_QUANTIZED_TILE(ck_tile_q2_B, ck_rows32, CK_Q2_B)
CK_QUANTIZED_TILE(ck_tile_q2_K, ck_rows256, CK_Q2_K)
CK_QUANTIZED_TILE(ck_tile_q3_K, ck_rows256, CK_Q3_K)
CK_QUANTIZED_TILE(ck_tile_q4_K, ck_rows256, CK_Q4_K)
CK_QUANTIZED_TILE(ck_tile_q5_K, ck_rows256, CK_Q5_K)
CK_QUANTIZED_TILE(ck_tile_q6_K, ck_rows256, CK_Q6_K)
CK_QUANTIZED_TILE(ck_tile_q2_0, ck_rows32, CK_Q2_0)
CK_QUANTIZED_TILE(ck_tile_mxfp4, ck_rows32, CK_MXFP4)
CK_QUANTIZED_TILE(ck_tile_iq4_nl, ck_rows32, CK_IQ4_NL)
CK_QUANTIZED_TILE(ck_tile_iq4_xs, ck_rows256, CK_IQ4_XS)
CK_QUANTIZED_TILE(ck_tile_tq2_0, ck_rows256, CK_TQ2_0)
CK_QUANTIZED_TILE(ck_tile_iq2_xxs, ck_rows256, CK_IQ2_XXS)
CK_QUANTIZED_TILE(ck_tile_iq2_xs, ck_rows256, CK_IQ2_XS)
CK_QUANTIZED_TILE(ck_tile_iq2_s, ck_rows256, CK_IQ2_S)
CK_QUANTIZED_TILE(ck_tile_iq3_xxs, ck_rows256, CK_IQ3_XXS)
CK_QUANTIZED_TILE(ck_tile_iq3_s, ck_rows256, CK_IQ3_S)

#include "avx2_tiled64.h"

#endif
