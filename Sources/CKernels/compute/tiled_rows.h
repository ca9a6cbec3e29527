// Products with tiles of weights, for the instruction set that the including file has chosen: it defines
// ck_tiled32 and ck_tiled256, which multiply one tile with up to CK_GROUP rows of activations.
#ifndef CKERNELS_TILED_ROWS_H
#define CKERNELS_TILED_ROWS_H

// How far ahead of the arithmetic memory is asked for weights that are read once: more than two pages,
// whose ends the processor's own prefetchers do not cross.
enum { CK_AHEAD = 9216 };

// A tile is multiplied with four rows of activations at a time. While it is multiplied with the last of
// several such groups, memory is asked for the next tile, so that it never waits for the arithmetic.
#define CK_TILED(name, kernel, type)                                                             \
  static void name(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,       \
                   const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) { \
    const size_t bytes = CK_TILE_ROWS * row_bytes;                                              \
    for (size_t r = 0; r < rows; r += CK_TILE_ROWS, weights += bytes, y += CK_TILE_ROWS) {      \
      for (size_t n = 0; n < batch; n += CK_GROUP) {                                            \
        const uint8_t *group = x + n * x_bytes;                                                 \
        float *out = y + n * y_stride;                                                          \
        const size_t left = batch - n;                                                          \
        const size_t ahead = left > CK_GROUP ? 0 : n > 0 ? bytes : CK_AHEAD;                    \
        switch (left) {                                                                         \
          case 1: kernel(type, 1, columns, weights, ahead, group, x_bytes, out, y_stride); break;  \
          case 2: kernel(type, 2, columns, weights, ahead, group, x_bytes, out, y_stride); break;  \
          case 3: kernel(type, 3, columns, weights, ahead, group, x_bytes, out, y_stride); break;  \
          default: kernel(type, 4, columns, weights, ahead, group, x_bytes, out, y_stride);     \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
  }
CK_TILED(ck_tiled_q4_0, ck_tiled32, CK_Q4_0)
CK_TILED(ck_tiled_q4_1, ck_tiled32, CK_Q4_1)
CK_TILED(ck_tiled_q5_0, ck_tiled32, CK_Q5_0)
CK_TILED(ck_tiled_q5_1, ck_tiled32, CK_Q5_1)
CK_TILED(ck_tiled_q8_0, ck_tiled32, CK_Q8_0)
CK_TILED(ck_tiled_q2_K, ck_tiled256, CK_Q2_K)
CK_TILED(ck_tiled_q3_K, ck_tiled256, CK_Q3_K)
CK_TILED(ck_tiled_q4_K, ck_tiled256, CK_Q4_K)
CK_TILED(ck_tiled_q5_K, ck_tiled256, CK_Q5_K)
CK_TILED(ck_tiled_q6_K, ck_tiled256, CK_Q6_K)
CK_TILED(ck_tiled_mxfp4, ck_tiled32, CK_MXFP4)
CK_TILED(ck_tiled_iq4_nl, ck_tiled32, CK_IQ4_NL)
CK_TILED(ck_tiled_iq4_xs, ck_tiled256, CK_IQ4_XS)
CK_TILED(ck_tiled_tq2_0, ck_tiled256, CK_TQ2_0)

#endif
