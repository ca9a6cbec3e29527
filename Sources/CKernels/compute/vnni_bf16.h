// Products of floats that are rounded to BF16 first, two at a time; for processors with AVX-512 BF16.
#ifndef CKERNELS_VNNI_BF16_H
#define CKERNELS_VNNI_BF16_H

#include "matmul.h"

/// Rounds a row to the nearest, ties to even; an odd last value gets a zero beside it.
static void ck_round_row(const float *x, size_t count, uint16_t *y) {
  for (size_t i = 0; i < count; i += 16) {
    const __mmask16 mask = count - i < 16 ? (__mmask16)((1u << (count - i)) - 1) : 0xffff;
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, x + i));
    _mm256_mask_storeu_epi16(y + i, mask, (__m256i)rounded);
  }
  if (count % 2) y[count] = 0;
}

/// Rows 2p and 2p + 1 of a panel of floats as pairs, column by column.
static void ck_pair_rows(const float *panel, size_t depth, __m512bh *pairs) {
  int16_t order[32];
  for (int i = 0; i < 16; i++) {
    order[2 * i] = (int16_t)i;
    order[2 * i + 1] = (int16_t)(16 + i);
  }
  const __m512i lanes = _mm512_loadu_si512(order);
  for (size_t p = 0; p < depth; p += 2, panel += 2 * CK_MATMUL_COLUMNS) {
    for (size_t v = 0; v < 2; v++) {
      const __m512 first = _mm512_loadu_ps(panel + v * CK_LANES);
      const __m512 second = p + 1 < depth ? _mm512_loadu_ps(panel + CK_MATMUL_COLUMNS + v * CK_LANES) : _mm512_setzero_ps();
      *pairs++ = (__m512bh)_mm512_permutexvar_epi16(lanes, (__m512i)_mm512_cvtne2ps_pbh(second, first));
    }
  }
}

CK_INLINE void ck_sum_pairs(const ck_matmul_job *job, const int R, const uint16_t *a, const __m512bh *pairs,
                            size_t depth, float *c, size_t width, bool adds) {
  __m512 sums[8][2];
#pragma clang loop unroll(full)
  for (int r = 0; r < R; r++) sums[r][0] = sums[r][1] = _mm512_setzero_ps();
  for (size_t p = 0; p < depth; p += 2, pairs += 2) {
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
      int32_t pair;
      memcpy(&pair, a + r * job->rounded_row + p, sizeof pair);
      const __m512bh both = (__m512bh)_mm512_set1_epi32(pair);
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], both, pairs[0]);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], both, pairs[1]);
    }
  }
  ck_lanes found[8][2];
  memcpy(found, sums, sizeof found[0] * R);
  ck_store_rows(job, R, width > CK_LANES ? 2 : 1, found, c, width, adds);
}

/// As ck_multiply, with a's rows as they are in `rounded`, and b rounded here.
static void ck_multiply_rounded(const ck_matmul_job *job, size_t first, size_t end, size_t number) {
  const size_t column = number * CK_MATMUL_COLUMNS, left = job->columns - column;
  const size_t width = left < CK_MATMUL_COLUMNS ? left : CK_MATMUL_COLUMNS;
  float panel[CK_DEPTH * CK_MATMUL_COLUMNS] __attribute__((aligned(64)));
  __m512bh pairs[CK_DEPTH];
  for (size_t p = 0; p < job->depth; p += CK_DEPTH) {
    const size_t stop = job->depth - p < CK_DEPTH ? job->depth : p + CK_DEPTH, depth = stop - p;
    const bool adds = job->accumulate || p > 0;
    ck_pack(job, p, stop, column, width, panel);
    ck_pair_rows(panel, depth, pairs);
    size_t row = first;
#define CK_SUM_MANY(R)                                                                                   \
  for (; end - row >= R; row += R)                                                                       \
    ck_sum_pairs(job, R, job->rounded + row * job->rounded_row + p, pairs, depth, \
                 job->c + row * job->c_stride + column, width, adds)
    CK_SUM_MANY(8);
    CK_SUM_MANY(4);
    CK_SUM_MANY(2);
    CK_SUM_MANY(1);
#undef CK_SUM_MANY
  }
}

#endif
