// AArch64 with dot products.
#if defined(__aarch64__)
#include <arm_neon.h>

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)

#include "attention.h"
#include "delta_gradients.h"
#include "gradients.h"
#include "matmul.h"

CK_INLINE int32_t ck_dot16(const int8_t *a, const int8_t *b) {
  return vaddvq_s32(vdotq_s32(vdupq_n_s32(0), vld1q_s8(a), vld1q_s8(b)));
}

#include "tiles.h"
#include "neon_tiled.h"
#include "tiled_rows.h"

CK_TILED(ck_tiled_q2_B, ck_tiled64, CK_Q2_B)
CK_TILED(ck_tiled_q2_0, ck_tiled64, CK_Q2_0)

#pragma clang attribute pop

#define CK_VARIANT ck_neon
#include "table.h"
#endif
