// One block of positions of an attention, for up to four queries at a time, for the instruction set that the including
// file has chosen. What a query gets does not depend on those beside it: each of its sums is taken in one order.
#ifndef CKERNELS_ATTENTION_BLOCK_H
#define CKERNELS_ATTENTION_BLOCK_H

#include "floats.h"

enum { CK_ATTENTION_BLOCK = 32, CK_ATTENTION_AHEAD = 8192 };

// Most sums that one loop keeps in registers: queries times positions, or queries times eights of values.
enum { CK_MOST_SUMS = 12 };

/// Cached rows of one block of positions.
typedef struct {
  const uint8_t *rows;
  size_t stride;  // bytes
  bool half;      // else floats
  bool ahead;     // whether rows behind them will be read from memory next
} ck_block_rows;

/// Asks for a row that will be read some rows from now: the system's pages end each 4 KB, and so does what the processor
/// reads ahead by itself.
CK_INLINE void ck_ask_ahead(const uint8_t *row, size_t stride) {
  for (size_t i = 0; i < stride; i += 64) __builtin_prefetch(row + CK_ATTENTION_AHEAD + i, 0, 3);
}

/// Eight cached values, which are halves or floats.
CK_INLINE void ck_cached8(f8 *v, const bool half, const uint8_t *row, size_t i) {
  if (half) {
    ck_load_half8(v, row + i * 2);
  } else {
    CK_LOAD8(*v, row + i * 4);
  }
}

/// scores[n][p] = scale * dot(query n, k of position p), for `N` queries, 1 to 4. Scores beyond the last position are
/// written too, and mean nothing.
CK_INLINE void ck_scores(const int N, const bool half, const float *const *q, const ck_block_rows *k, size_t size,
                         size_t positions, float scale, float (*scores)[CK_ATTENTION_BLOCK]) {
  const int P = N == 4 ? 2 : N == 1 ? 8 : 4;
  for (size_t p = 0; p < positions; p += P) {
    f8 sums[CK_MOST_SUMS] = {{0}};
    const uint8_t *rows[8];
#pragma clang loop unroll(full)
    for (int c = 0; c < P; c++) {
      rows[c] = k->rows + (p + c < positions ? p + c : p) * k->stride;
      if (k->ahead) ck_ask_ahead(rows[c], k->stride);
    }
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      f8 queries[4];
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) CK_LOAD8(queries[n], q[n] + i);
#pragma clang loop unroll(full)
      for (int c = 0; c < P; c++) {
        f8 key;
        ck_cached8(&key, half, rows[c], i);
#pragma clang loop unroll(full)
        for (int n = 0; n < N; n++) sums[n * P + c] += queries[n] * key;
      }
    }
#pragma clang loop unroll(full)
    for (int c = 0; c < N * P; c += 4) {
      f4 totals;
      ck_sum8x4(sums + c, &totals);
      for (size_t rest = i; rest < size; rest++) {
#pragma clang loop unroll(full)
        for (int s = 0; s < 4; s++) totals[s] += q[(c + s) / P][rest] * ((const float *)rows[(c + s) % P])[rest];
      }
      totals *= scale;
      const int some = P < 4 ? P : 4;
#pragma clang loop unroll(full)
      for (int s = 0; s < 4; s += some)
        memcpy(&scores[(c + s) / P][p + (c + s) % P], (const float *)&totals + s, some * sizeof(float));
    }
  }
}

/// Of `ck_mix`, the `S` eights of values from `i` on.
CK_INLINE void ck_mix_eights(const int N, const int S, const bool half, float *const *y, size_t i, const float *keep,
                             float (*weights)[CK_ATTENTION_BLOCK], const ck_block_rows *values, size_t positions) {
  f8 sum[CK_MOST_SUMS];
#pragma clang loop unroll(full)
  for (int c = 0; c < N * S; c++) {
    CK_LOAD8(sum[c], y[c / S] + i + c % S * 8);
    sum[c] *= keep[c / S];
  }
  const uint8_t *row = values->rows;
  for (size_t p = 0; p < positions; p++, row += values->stride) {
    if (i == 0 && values->ahead) ck_ask_ahead(row, values->stride);
#pragma clang loop unroll(full)
    for (int s = 0; s < S; s++) {
      f8 v;
      ck_cached8(&v, half, row, i + s * 8);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) sum[n * S + s] += v * weights[n][p];
    }
  }
#pragma clang loop unroll(full)
  for (int c = 0; c < N * S; c++) CK_STORE8(y[c / S] + i + c % S * 8, sum[c]);
}

/// y[n] = y[n] * keep[n] + sum of weights[n][p] * values[p], for `N` queries, 1 to 4.
CK_INLINE void ck_mix(const int N, const bool half, float *const *y, size_t size, const float *keep,
                      float (*weights)[CK_ATTENTION_BLOCK], const ck_block_rows *values, size_t positions) {
  const int S = N == 4 ? 2 : 4;
  size_t i = 0;
  for (; i + S * 8 <= size; i += S * 8) ck_mix_eights(N, S, half, y, i, keep, weights, values, positions);
  for (; i + 8 <= size; i += 8) ck_mix_eights(N, 1, half, y, i, keep, weights, values, positions);
  for (; i < size; i++) {
    for (int n = 0; n < N; n++) {
      float sum = y[n][i] * keep[n];
      for (size_t p = 0; p < positions; p++) {
        const uint8_t *row = values->rows + p * values->stride;
        sum += (half ? ck_from_half(((const uint16_t *)row)[i]) : ((const float *)row)[i]) * weights[n][p];
      }
      y[n][i] = sum;
    }
  }
}

/// Of a block's scores, takes out the first `hidden`, which a window leaves behind, and caps the others.
CK_INLINE void ck_limit_scores(float *scores, size_t hidden, float cap) {
  for (int p = 0; cap != 0 && p < CK_ATTENTION_BLOCK; p += 8) {
    f8 s;
    CK_LOAD8(s, scores + p);
    ck_cap8(&s, cap);
    CK_STORE8(scores + p, s);
  }
  for (size_t p = 0; p < hidden; p++) scores[p] = -INFINITY;
}

/// Raises each lane of `tops` to that of `s`; NaN in `s` raises none.
CK_INLINE void ck_raise8(f8 *tops, const f8 *s) {
  const i8x32 larger = *s > *tops;
  *tops = (f8)(((i8x32)*s & larger) | ((i8x32)*tops & ~larger));
}

/// The highest of a block's first `count` scores and of `most`. Those behind become -infinity.
CK_INLINE float ck_highest(float *scores, size_t count, float most) {
  for (size_t p = count; p < CK_ATTENTION_BLOCK; p++) scores[p] = -INFINITY;
  f8 tops = CK_ALL(most);
#pragma clang loop unroll(full)
  for (int p = 0; p < CK_ATTENTION_BLOCK; p += 8) {
    f8 s;
    CK_LOAD8(s, scores + p);
    ck_raise8(&tops, &s);
  }
  f8 turned = __builtin_shufflevector(tops, tops, 4, 5, 6, 7, 0, 1, 2, 3);
  ck_raise8(&tops, &turned);
  turned = __builtin_shufflevector(tops, tops, 2, 3, 0, 1, 6, 7, 4, 5);
  ck_raise8(&tops, &turned);
  turned = __builtin_shufflevector(tops, tops, 1, 0, 3, 2, 5, 4, 7, 6);
  ck_raise8(&tops, &turned);
  return tops[0];
}

/// Turns a block's scores into weights relative to `top`; gives their sum.
CK_INLINE float ck_weights(float *scores, float top) {
  enum { EIGHTS = CK_ATTENTION_BLOCK / 8 };
  f8 s[EIGHTS], sum = {0};
#pragma clang loop unroll(full)
  for (int e = 0; e < EIGHTS; e++) {
    CK_LOAD8(s[e], scores + e * 8);
    s[e] -= top;
  }
  ck_exp8s(EIGHTS, s);
#pragma clang loop unroll(full)
  for (int e = 0; e < EIGHTS; e++) {
    CK_STORE8(scores + e * 8, s[e]);
    sum += s[e];
  }
  return ck_sum8(&sum);
}

/// Turns the scores of up to eight queries into weights relative to the highest of each so far. What was mixed before is to
/// be multiplied by `keep`.
CK_INLINE void ck_block_weights(float (*scores)[CK_ATTENTION_BLOCK], size_t queries, size_t count, float *most, float *total,
                                float *keep) {
  f8 rise = {0};
  for (size_t n = 0; n < queries; n++) {
    const float top = ck_highest(scores[n], count, most[n]);
    rise[n] = most[n] - top;
    most[n] = top;
  }
  ck_exp8(&rise);
  for (size_t n = 0; n < queries; n++) {
    keep[n] = rise[n];
    total[n] = total[n] * keep[n] + ck_weights(scores[n], most[n]);
  }
}

#endif
