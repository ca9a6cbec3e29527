// Portable C: the reference that every other variant is tested against.
#include "attention.h"
#include "delta_gradients.h"
#include "gradients.h"
#include "matmul.h"

CK_INLINE int32_t ck_dot16(const int8_t *a, const int8_t *b) {
  int32_t sum = 0;
  for (int i = 0; i < 16; i++) sum += a[i] * b[i];
  return sum;
}

#include "tiles.h"

CK_QUANTIZED_TILE(ck_tiled_q4_0, ck_tile32, CK_Q4_0, true)
CK_QUANTIZED_TILE(ck_tiled_q4_1, ck_tile32, CK_Q4_1, true)
CK_QUANTIZED_TILE(ck_tiled_q5_0, ck_tile32, CK_Q5_0, true)
CK_QUANTIZED_TILE(ck_tiled_q5_1, ck_tile32, CK_Q5_1, true)
CK_QUANTIZED_TILE(ck_tiled_q8_0, ck_tile32, CK_Q8_0, true)
CK_QUANTIZED_TILE(ck_tiled_q2_B, ck_tile32, CK_Q2_B, true)
CK_QUANTIZED_TILE(ck_tiled_q2_K, ck_tile256, CK_Q2_K, true)
CK_QUANTIZED_TILE(ck_tiled_q3_K, ck_tile256, CK_Q3_K, true)
CK_QUANTIZED_TILE(ck_tiled_q4_K, ck_tile256, CK_Q4_K, true)
CK_QUANTIZED_TILE(ck_tiled_q5_K, ck_tile256, CK_Q5_K, true)
CK_QUANTIZED_TILE(ck_tiled_q6_K, ck_tile256, CK_Q6_K, true)
CK_QUANTIZED_TILE(ck_tiled_q2_0, ck_tile32, CK_Q2_0, true)
CK_QUANTIZED_TILE(ck_tiled_mxfp4, ck_tile32, CK_MXFP4, true)
CK_QUANTIZED_TILE(ck_tiled_iq4_nl, ck_tile32, CK_IQ4_NL, true)
CK_QUANTIZED_TILE(ck_tiled_iq4_xs, ck_tile256, CK_IQ4_XS, true)
CK_QUANTIZED_TILE(ck_tiled_tq2_0, ck_tile256, CK_TQ2_0, true)

#define CK_VARIANT ck_plain
#include "table.h"
