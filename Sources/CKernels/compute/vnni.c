// x86-64 with AVX-512 (F, BW, DQ, VL) and VNNI. Floats, and types without kernels of their own, take the text of the
// AVX2 kernels, compiled for 32 registers.
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>

#pragma clang attribute push( \
    __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), apply_to = function)
#define CK_USE_F16C 1
#define CK_VECTOR_BYTES 64
#define CK_SUM_ROWS 8

#include "attention.h"
#include "avx2_rows.h"
#include "delta_gradients.h"
#include "gradients.h"
#include "matmul.h"
#include "vnni_tiled64.h"
#include "vnni_tiled256.h"

// With 32 registers the sums of all CK_TILE rows of activations fit, so a tile of `height` rows is read once.
#define CK_TILES(height, name, kernel, type)                                                     \
  static void name(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,       \
                   const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) { \
    for (size_t r = 0; r < rows; r += height, y += height) {                                    \
      const uint8_t *tile = weights + r * row_bytes;                                            \
      switch (batch) {                                                                          \
        case 1: kernel(type, 1, columns, tile, x, x_bytes, y, y_stride); break;                 \
        case 2: kernel(type, 2, columns, tile, x, x_bytes, y, y_stride); break;                 \
        case 3: kernel(type, 3, columns, tile, x, x_bytes, y, y_stride); break;                 \
        case 4: kernel(type, 4, columns, tile, x, x_bytes, y, y_stride); break;                 \
        case 5: kernel(type, 5, columns, tile, x, x_bytes, y, y_stride); break;                 \
        case 6: kernel(type, 6, columns, tile, x, x_bytes, y, y_stride); break;                 \
        case 7: kernel(type, 7, columns, tile, x, x_bytes, y, y_stride); break;                 \
        default: kernel(type, 8, columns, tile, x, x_bytes, y, y_stride);                       \
      }                                                                                         \
    }                                                                                           \
  }
#define CK_WIDE(name, kernel, type) CK_TILES(CK_WIDE_TILE_ROWS, name, kernel, type)
CK_WIDE(ck_wide_q4_0, ck_wide32, CK_Q4_0)
CK_WIDE(ck_wide_q8_0, ck_wide32, CK_Q8_0)
CK_WIDE(ck_wide_q4_1, ck_wide32, CK_Q4_1)
CK_WIDE(ck_wide_q5_0, ck_wide32, CK_Q5_0)
CK_WIDE(ck_wide_q5_1, ck_wide32, CK_Q5_1)
CK_WIDE(ck_wide_mxfp4, ck_wide32, CK_MXFP4)
CK_WIDE(ck_wide_iq4_nl, ck_wide32, CK_IQ4_NL)
CK_WIDE(ck_wide_q2_B, ck_wide64, CK_Q2_B)
CK_WIDE(ck_wide_q2_0, ck_wide64, CK_Q2_0)
CK_WIDE(ck_wide_q2_K, ck_wide256, CK_Q2_K)
CK_WIDE(ck_wide_q3_K, ck_wide256, CK_Q3_K)
CK_WIDE(ck_wide_q4_K, ck_wide256, CK_Q4_K)
CK_WIDE(ck_wide_q5_K, ck_wide256, CK_Q5_K)
CK_WIDE(ck_wide_q6_K, ck_wide256, CK_Q6_K)
CK_WIDE(ck_wide_iq4_xs, ck_wide256, CK_IQ4_XS)
CK_WIDE(ck_wide_tq2_0, ck_wide256, CK_TQ2_0)
CK_TILES(CK_TILE_ROWS, ck_narrow_q8_0, ck_narrow32, CK_Q8_0)

/// The same as ck_tiled_f16 for tiles of 16 rows, to the bit; for few rows of activations nothing is held.
static void ck_wide_f16(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows, const uint8_t *x,
                        size_t x_bytes, size_t batch, float *y, size_t y_stride) {
#define CK_AT(i) (ck_lanes) ck_halves16(at + (i) * 2 * CK_WIDE_TILE_ROWS)
  for (size_t r = 0; r < rows; r += CK_WIDE_TILE_ROWS) {
    const uint8_t *at = weights + r * row_bytes;
    ck_lanes tile[CK_FEW_COLUMNS], sums;
    for (size_t i = 0; i < columns && batch >= 4; i++) tile[i] = CK_AT(i);
    for (size_t n = 0; n < batch; n++) {
      const float *row = (const float *)(x + n * x_bytes);
      if (batch < 4) {
        CK_TILED_SUMS(ck_lanes, CK_AT, columns, row, sums);
      } else {
        CK_TILED_SUMS(ck_lanes, CK_HELD, columns, row, sums);
      }
      CK_STORE(y + n * y_stride + r, sums);
    }
  }
#undef CK_AT
}

#pragma clang attribute pop

// Used where the processor has it, see ck_multiplies_rounded.
#pragma clang attribute push( \
    __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16"))), \
    apply_to = function)
#include "vnni_bf16.h"
#pragma clang attribute pop

#define CK_VARIANT ck_avx512vnni
#define ck_tiled_q8_0 ck_narrow_q8_0
#define CK_MULTIPLY_ROUNDED ck_multiply_rounded
#define CK_WIDE_KERNELS                                                               \
  {[CK_F16] = ck_wide_f16, [CK_Q4_0] = ck_wide_q4_0, [CK_Q4_1] = ck_wide_q4_1, [CK_Q5_0] = ck_wide_q5_0, \
   [CK_Q5_1] = ck_wide_q5_1, [CK_Q8_0] = ck_wide_q8_0, [CK_Q2_K] = ck_wide_q2_K, \
   [CK_Q3_K] = ck_wide_q3_K, [CK_Q4_K] = ck_wide_q4_K, [CK_Q5_K] = ck_wide_q5_K, \
   [CK_Q6_K] = ck_wide_q6_K, [CK_SLOT_Q2_B] = ck_wide_q2_B, [CK_Q2_0] = ck_wide_q2_0,  \
   [CK_TQ2_0] = ck_wide_tq2_0, [CK_MXFP4] = ck_wide_mxfp4, [CK_IQ4_NL] = ck_wide_iq4_nl, \
   [CK_IQ4_XS] = ck_wide_iq4_xs}
#include "table.h"
#endif
