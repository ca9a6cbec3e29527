// One block of positions of an attention, for a few queries at a time, for the instruction set that the including file has
// chosen. What a query gets does not depend on those beside it: each of its sums is taken in one order, over the values of a
// head or over the positions of a block, so it does not depend on the width of vectors either.
#ifndef CKERNELS_ATTENTION_BLOCK_H
#define CKERNELS_ATTENTION_BLOCK_H

#include "floats.h"

enum { CK_BLOCK_VECTORS = CK_ATTENTION_BLOCK / CK_LANES };

// Most sums that one loop keeps in registers: queries times vectors of positions, or of values.
enum { CK_MOST_SUMS = CK_VECTOR_BYTES == 64 ? 24 : 12 };

/// Cached keys or values of one block of positions: columns or rows.
typedef struct {
  const uint8_t *at;
  size_t stride;  // bytes from value to value of keys, from position to position of values
  bool half;      // else floats
  const uint8_t *ahead;  // what is to be asked for meanwhile, by the first queries
  size_t ahead_stride;
} ck_block_part;

/// Asks for memory that will be read some blocks from now: the system's pages end each 4 KB, and so does what the processor
/// reads ahead by itself. A few lines between products: many at once would be waited for.
CK_INLINE void ck_ask_for(const uint8_t *at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i, 0, 3);
}

/// The vector of cached values from value `i` on, which are halves or floats.
CK_INLINE void ck_cached(ck_lanes *v, const bool half, const uint8_t *at, size_t i) {
  if (half) {
    ck_load_half_lanes(v, at + i * 2);
  } else {
    CK_LOAD(*v, at + i * 4);
  }
}

/// sums[n][v] += factors[n] * vector v of what is cached at `at`, for `N` factors, `apart` from one to the next. What there is
/// less of is held in registers, so that these are enough.
CK_INLINE void ck_add_products(const int N, const int V, const bool half, const uint8_t *at, const float *factors,
                               const size_t apart, ck_lanes *sums) {
  ck_lanes held[6];
  if (N < V) {
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) held[n] = CK_SPREAD(factors[n * apart]);
#pragma clang loop unroll(full)
    for (int v = 0; v < V; v++) {
      ck_lanes value;
      ck_cached(&value, half, at, (size_t)v * CK_LANES);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) {
        sums[n * V + v] += value * held[n];
        CK_IN_PLACE(sums[n * V + v]);
      }
    }
  } else {
#pragma clang loop unroll(full)
    for (int v = 0; v < V; v++) ck_cached(&held[v], half, at, (size_t)v * CK_LANES);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
#pragma clang loop unroll(full)
      for (int v = 0; v < V; v++) sums[n * V + v] += held[v] * factors[n * apart];
    }
  }
}

/// Of `ck_scores`, those of `V` vectors of positions from vector `first` on; `asks` for the keys behind them.
CK_INLINE void ck_score_vectors(const int N, const int V, const bool half, const bool asks, const float *q, size_t stride,
                                const ck_block_part *keys, int first, size_t size, float (*scores)[CK_ATTENTION_BLOCK]) {
  ck_lanes sums[CK_MOST_SUMS] = {{0}};
  const uint8_t *at = keys->at;
  for (size_t i = 0; i < size; i++, at += keys->stride) {
    if (asks) ck_ask_for(keys->ahead + i * keys->ahead_stride, keys->ahead_stride);
    ck_add_products(N, V, half, at + first * CK_LANES * (half ? 2 : 4), q + i * stride, 1, sums);
  }
#pragma clang loop unroll(full)
  for (int c = 0; c < N * V; c++) CK_STORE(scores[c / V] + (first + c % V) * CK_LANES, sums[c]);
}

/// scores[n][p] = dot(query n, key of position p) for `N` queries, whose values lie side by side, `stride` from one to the next.
/// Scores of positions that are not there are written too, and mean nothing.
CK_INLINE void ck_scores(const int N, const bool half, const float *q, size_t stride, const ck_block_part *keys,
                         const bool asks, size_t size, float (*scores)[CK_ATTENTION_BLOCK]) {
  const int V = N * CK_BLOCK_VECTORS <= CK_MOST_SUMS ? CK_BLOCK_VECTORS : CK_BLOCK_VECTORS / 2;
  if (asks) {
    ck_score_vectors(N, V, half, true, q, stride, keys, 0, size, scores);
  } else {
    ck_score_vectors(N, V, half, false, q, stride, keys, 0, size, scores);
  }
  for (int first = V; first < CK_BLOCK_VECTORS; first += V)
    ck_score_vectors(N, V, half, false, q, stride, keys, first, size, scores);
}

/// Of `ck_mix`, the `S` vectors of values from `i` on; `asks` for the values behind them.
CK_INLINE void ck_mix_vectors(const int N, const int S, const bool half, const bool asks, float *y, size_t width, size_t i,
                              const float *keep, float (*weights)[CK_ATTENTION_BLOCK], const ck_block_part *values,
                              size_t positions) {
  ck_lanes sums[CK_MOST_SUMS];
#pragma clang loop unroll(full)
  for (int c = 0; c < N * S; c++) {
    CK_LOAD(sums[c], y + (size_t)(c / S) * width + i + c % S * CK_LANES);
    sums[c] *= keep[c / S];
  }
  const uint8_t *at = values->at;
  for (size_t p = 0; p < positions; p++, at += values->stride) {
    if (asks) ck_ask_for(values->ahead + p * values->ahead_stride, values->ahead_stride);
    ck_add_products(N, S, half, at + i * (half ? 2 : 4), weights[0] + p, CK_ATTENTION_BLOCK, sums);
  }
#pragma clang loop unroll(full)
  for (int c = 0; c < N * S; c++) CK_STORE(y + (size_t)(c / S) * width + i + c % S * CK_LANES, sums[c]);
}

/// y[n] = y[n] * keep[n] + sum of weights[n][p] * values[p] for `N` queries; rows of y are `width`, whole vectors.
CK_INLINE void ck_mix(const int N, const bool half, float *y, size_t width, const float *keep,
                      float (*weights)[CK_ATTENTION_BLOCK], const ck_block_part *values, const bool asks,
                      size_t positions) {
  const int S = N * 4 <= CK_MOST_SUMS ? 4 : 2;
  size_t i = 0;
  if (asks && width >= S * CK_LANES) {
    ck_mix_vectors(N, S, half, true, y, width, 0, keep, weights, values, positions);
    i = S * CK_LANES;
  }
  for (; i + S * CK_LANES <= width; i += S * CK_LANES)
    ck_mix_vectors(N, S, half, false, y, width, i, keep, weights, values, positions);
  for (; i < width; i += CK_LANES) ck_mix_vectors(N, 1, half, false, y, width, i, keep, weights, values, positions);
}

/// Of a block's scores, caps all, and takes out the first `hidden`, which a window leaves behind, and those from `count` on.
CK_INLINE void ck_limit_scores(float *scores, size_t hidden, size_t count, float cap) {
  for (int p = 0; cap != 0 && p < CK_ATTENTION_BLOCK; p += 8) {
    f8 s;
    CK_LOAD8(s, scores + p);
    ck_cap8(&s, cap);
    CK_STORE8(scores + p, s);
  }
  for (size_t p = 0; p < hidden; p++) scores[p] = -INFINITY;
  for (size_t p = count; p < CK_ATTENTION_BLOCK; p++) scores[p] = -INFINITY;
}

/// Raises each lane of `tops` to that of `s`; NaN in `s` raises none.
CK_INLINE void ck_raise(ck_lanes *tops, const ck_lanes *s) {
  const ck_lane_bits larger = (ck_lane_bits)(*s > *tops);
  *tops = (ck_lanes)(((ck_lane_bits)*s & larger) | ((ck_lane_bits)*tops & ~larger));
}

CK_INLINE void ck_raise8(f8 *tops, const f8 *s) {
  const i8x32 larger = *s > *tops;
  *tops = (f8)(((i8x32)*s & larger) | ((i8x32)*tops & ~larger));
}

/// The highest of a block's scores and of `most`.
CK_INLINE float ck_highest(const float *scores, float most) {
  ck_lanes tops = CK_SPREAD(most), s;
#pragma clang loop unroll(full)
  for (int p = 0; p < CK_ATTENTION_BLOCK; p += CK_LANES) {
    CK_LOAD(s, scores + p);
    ck_raise(&tops, &s);
  }
  f8 eight[CK_LANES / 8];
  CK_STORE(eight, tops);
#pragma clang loop unroll(full)
  for (int e = 1; e < CK_LANES / 8; e++) ck_raise8(eight, eight + e);
  f8 turned = __builtin_shufflevector(eight[0], eight[0], 4, 5, 6, 7, 0, 1, 2, 3);
  ck_raise8(eight, &turned);
  turned = __builtin_shufflevector(eight[0], eight[0], 2, 3, 0, 1, 6, 7, 4, 5);
  ck_raise8(eight, &turned);
  turned = __builtin_shufflevector(eight[0], eight[0], 1, 0, 3, 2, 5, 4, 7, 6);
  ck_raise8(eight, &turned);
  return eight[0][0];
}

/// Turns a block's scores into weights relative to `top`, and adds them to the lanes of `total`.
CK_INLINE void ck_weights(float *scores, float top, f8 *total) {
  ck_lanes s[CK_BLOCK_VECTORS];
#pragma clang loop unroll(full)
  for (int v = 0; v < CK_BLOCK_VECTORS; v++) {
    CK_LOAD(s[v], scores + v * CK_LANES);
    s[v] -= top;
  }
  ck_exps_below(CK_BLOCK_VECTORS, s);
  f8 eights[CK_ATTENTION_BLOCK / 8];
#pragma clang loop unroll(full)
  for (int v = 0; v < CK_BLOCK_VECTORS; v++) {
    CK_STORE(scores + v * CK_LANES, s[v]);
    CK_STORE(eights + v * (CK_LANES / 8), s[v]);
  }
#pragma clang loop unroll(full)
  for (int e = 0; e < CK_ATTENTION_BLOCK / 8; e++) *total += eights[e];
}

/// Turns the scores of queries into weights relative to the highest of each so far. What was mixed before is to be multiplied
/// by `keep`, of which whole vectors are written.
CK_INLINE void ck_block_weights(float (*scores)[CK_ATTENTION_BLOCK], size_t queries, float *most, f8 *total, float *keep) {
  for (size_t n = 0; n < queries; n++) {
    const float top = ck_highest(scores[n], most[n]);
    keep[n] = most[n] - top;
    most[n] = top;
  }
  for (size_t n = 0; n < queries; n += CK_LANES) {
    ck_lanes rise;
    CK_LOAD(rise, keep + n);
    ck_exps_below(1, &rise);
    CK_STORE(keep + n, rise);
  }
  for (size_t n = 0; n < queries; n++) {
    total[n] *= keep[n];
    ck_weights(scores[n], most[n], &total[n]);
  }
}

#endif
