// Causal attention with an online softmax (Milakov and Gimelshein 2018), for the instruction set that
// the including file has chosen. Blocks of positions start at 0 whatever the batch, so a row's result
// does not depend on what it was computed together with.
#ifndef CKERNELS_ATTENTION_H
#define CKERNELS_ATTENTION_H

#include "floats.h"

enum { CK_ATTENTION_BLOCK = 32, CK_ATTENTION_HEADS = 8, CK_ATTENTION_SIZE = 512 };

// Query heads and cached positions that are multiplied at once: eight sums.
enum { CK_DOT_HEADS = 2, CK_DOT_POSITIONS = 4 };

/// scores[h][p] = scale * dot(q of head h, k of position p), for `H` heads. Rows of `k` are of `size`; those
/// beyond the last position, up to a multiple of 4, are read but not used.
CK_INLINE void ck_scores(const int H, const float *q, const float *k, size_t size, size_t positions,
                         float scale, float (*scores)[CK_ATTENTION_BLOCK]) {
  for (size_t p = 0; p < positions; p += CK_DOT_POSITIONS, k += CK_DOT_POSITIONS * size) {
    f8 sums[CK_DOT_HEADS * CK_DOT_POSITIONS] = {{0}}, totals;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      f8 head[CK_DOT_HEADS];
#pragma clang loop unroll(full)
      for (int h = 0; h < H; h++) CK_LOAD8(head[h], q + h * size + i);
#pragma clang loop unroll(full)
      for (int c = 0; c < CK_DOT_POSITIONS; c++) {
        f8 key;
        CK_LOAD8(key, k + c * size + i);
#pragma clang loop unroll(full)
        for (int h = 0; h < H; h++) sums[h * CK_DOT_POSITIONS + c] += head[h] * key;
      }
    }
    ck_sum8x8(sums, &totals);
    for (int h = 0; h < H; h++) {
      for (int c = 0; c < CK_DOT_POSITIONS; c++) {
        float total = totals[h * CK_DOT_POSITIONS + c];
        for (size_t t = i; t < size; t++) total += q[h * size + t] * k[c * size + t];
        scores[h][p + c] = total * scale;
      }
    }
  }
}

/// y = y * keep + sum of weights[p] * values[p], for `H` heads; rows of `y` and `values` are of `size`.
CK_INLINE void ck_mix(const int H, float *y, size_t size, const float *keep,
                      float (*weights)[CK_ATTENTION_BLOCK], const float *values, size_t positions) {
  enum { STEP = 4 };
  size_t i = 0;
  for (; i + STEP * 8 <= size; i += STEP * 8) {
    f8 sum[CK_DOT_HEADS][STEP];
#pragma clang loop unroll(full)
    for (int h = 0; h < H; h++) {
      memcpy(sum[h], y + h * size + i, sizeof sum[h]);
#pragma clang loop unroll(full)
      for (int s = 0; s < STEP; s++) sum[h][s] *= keep[h];
    }
    for (size_t p = 0; p < positions; p++) {
      f8 v[STEP];
      memcpy(v, values + p * size + i, sizeof v);
#pragma clang loop unroll(full)
      for (int h = 0; h < H; h++) {
#pragma clang loop unroll(full)
        for (int s = 0; s < STEP; s++) sum[h][s] += v[s] * weights[h][p];
      }
    }
#pragma clang loop unroll(full)
    for (int h = 0; h < H; h++) memcpy(y + h * size + i, sum[h], sizeof sum[h]);
  }
  for (; i < size; i++) {
    for (int h = 0; h < H; h++) {
      float sum = y[h * size + i] * keep[h];
      for (size_t p = 0; p < positions; p++) sum += values[p * size + i] * weights[h][p];
      y[h * size + i] = sum;
    }
  }
}

/// Turns a block's scores into weights relative to the highest score so far; gives their sum.
CK_INLINE float ck_block_weights(float *scores, size_t count, float *most, float *keep) {
  for (size_t p = count; p < CK_ATTENTION_BLOCK; p++) scores[p] = -INFINITY;
  f8 tops = CK_ALL(*most);
  for (int p = 0; p < CK_ATTENTION_BLOCK; p += 8) {
    f8 s;
    CK_LOAD8(s, scores + p);
    const i8x32 larger = s > tops;
    tops = (f8)(((i8x32)s & larger) | ((i8x32)tops & ~larger));
  }
  float top = tops[0];
  for (int i = 1; i < 8; i++) top = tops[i] > top ? tops[i] : top;
  f8 before = CK_ALL(*most - top);
  ck_exp8(&before);
  *keep = before[0];
  *most = top;
  f8 sum = {0};
  for (int p = 0; p < CK_ATTENTION_BLOCK; p += 8) {
    f8 s;
    CK_LOAD8(s, scores + p);
    s -= top;
    ck_exp8(&s);
    CK_STORE8(scores + p, s);
    sum += s;
  }
  return ck_sum8(&sum);
}

/// The rows of a block as floats: where they are, or converted into `buffer` and filled up with zeros to a
/// multiple of CK_DOT_POSITIONS.
CK_INLINE const float *ck_block_rows(const void *cache, ck_cache_format format, size_t first, size_t positions,
                                     size_t size, float *buffer) {
  const size_t rest = (CK_DOT_POSITIONS - positions % CK_DOT_POSITIONS) % CK_DOT_POSITIONS;
  const uint8_t *rows = (const uint8_t *)cache + first * ck_cache_row_bytes(format, size);
  if (format == CK_CACHE_F32 && rest == 0) return (const float *)rows;
  memset(buffer + positions * size, 0, rest * size * sizeof *buffer);
  ck_load_heads(rows, format, positions, size, buffer);
  return buffer;
}

/// Up to CK_ATTENTION_HEADS query heads that share one key/value head.
CK_INLINE void ck_attend_heads(const ck_attention_job *job, size_t row, size_t kv_head, size_t head,
                               size_t heads) {
  const size_t size = job->head_size, positions = job->position + row + 1;
  const float *q = job->q + row * job->q_stride + head * size;
  float *y = job->y + row * job->y_stride + head * size;
  float most[CK_ATTENTION_HEADS], total[CK_ATTENTION_HEADS], buffer[CK_ATTENTION_BLOCK * CK_ATTENTION_SIZE];
  float scores[CK_ATTENTION_HEADS][CK_ATTENTION_BLOCK], keep[CK_ATTENTION_HEADS];
  for (size_t h = 0; h < heads; h++) most[h] = -INFINITY, total[h] = 0;
  memset(y, 0, heads * size * sizeof *y);
  for (size_t p0 = 0; p0 < positions; p0 += CK_ATTENTION_BLOCK) {
    const size_t left = positions - p0, count = left < CK_ATTENTION_BLOCK ? left : CK_ATTENTION_BLOCK;
    const size_t first = kv_head * job->cache_capacity + p0;
    const float *k = ck_block_rows(job->keys, job->cache_format, first, count, size, buffer);
    for (size_t h = 0; h < heads; h += CK_DOT_HEADS) {
      if (h + 1 < heads) {
        ck_scores(2, q + h * size, k, size, count, job->scale, scores + h);
      } else {
        ck_scores(1, q + h * size, k, size, count, job->scale, scores + h);
      }
    }
    for (size_t h = 0; h < heads; h++) {
      const float sum = ck_block_weights(scores[h], count, &most[h], &keep[h]);
      total[h] = total[h] * keep[h] + sum;
    }
    const float *v = ck_block_rows(job->values, job->cache_format, first, count, size, buffer);
    for (size_t h = 0; h < heads; h += CK_DOT_HEADS) {
      if (h + 1 < heads) {
        ck_mix(2, y + h * size, size, keep + h, scores + h, v, count);
      } else {
        ck_mix(1, y + h * size, size, keep + h, scores + h, v, count);
      }
    }
  }
  for (size_t h = 0; h < heads; h++)
    for (size_t i = 0; i < size; i++) y[h * size + i] /= total[h];
}

static void ck_attend(const ck_attention_job *job, size_t row, size_t kv_head) {
  const size_t group = job->heads / job->kv_heads;
  for (size_t h = 0; h < group; h += CK_ATTENTION_HEADS) {
    const size_t heads = group - h < CK_ATTENTION_HEADS ? group - h : CK_ATTENTION_HEADS;
    ck_attend_heads(job, row, kv_head, kv_head * group + h, heads);
  }
}

#endif
