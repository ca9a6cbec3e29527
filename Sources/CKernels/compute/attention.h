// Causal attention with an online softmax (Milakov and Gimelshein 2018), for the instruction set that
// the including file has chosen. Blocks of positions start at 0 whatever the batch, so a row's result
// does not depend on what it was computed together with.
#ifndef CKERNELS_ATTENTION_H
#define CKERNELS_ATTENTION_H

#include "floats.h"

enum { CK_ATTENTION_BLOCK = 32, CK_ATTENTION_HEADS = 8, CK_ATTENTION_SIZE = 512, CK_ATTENTION_AHEAD = 8192 };

// Sums that one loop keeps in registers: heads times positions, or heads times eights of values.
enum { CK_SUMS = 8 };

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

/// scores[h][p] = scale * dot(q of head h, k of position p), for `H` heads, 1, 2 or 4; rows of `k` are `stride` bytes
/// apart. Scores beyond the last position are written too, and mean nothing.
CK_INLINE void ck_scores(const int H, const bool half, const float *q, const uint8_t *k, size_t stride,
                         size_t size, size_t positions, float scale,
                         float (*scores)[CK_ATTENTION_BLOCK]) {
  const int P = CK_SUMS / H;
  for (size_t p = 0; p < positions; p += P) {
    f8 sums[CK_SUMS] = {{0}}, totals;
    const uint8_t *rows[CK_SUMS];
#pragma clang loop unroll(full)
    for (int c = 0; c < P; c++) {
      rows[c] = k + (p + c < positions ? p + c : p) * stride;
      ck_ask_ahead(rows[c], stride);
    }
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      f8 keys[CK_SUMS];
#pragma clang loop unroll(full)
      for (int c = 0; c < P; c++) ck_cached8(&keys[c], half, rows[c], i);
#pragma clang loop unroll(full)
      for (int h = 0; h < H; h++) {
        f8 head;
        CK_LOAD8(head, q + h * size + i);
#pragma clang loop unroll(full)
        for (int c = 0; c < P; c++) sums[h * P + c] += head * keys[c];
      }
    }
    ck_sum8x8(sums, &totals);
    for (; i < size; i++) {
      for (int c = 0; c < CK_SUMS; c++)
        totals[c] += q[c / P * size + i] * ((const float *)rows[c % P])[i];
    }
    totals *= scale;
#pragma clang loop unroll(full)
    for (int h = 0; h < H; h++) memcpy(&scores[h][p], (const float *)&totals + h * P, P * sizeof(float));
  }
}

/// y = y * keep + sum of weights[p] * values[p], for `H` heads, 1, 2 or 4; rows of `values` are `stride` bytes apart.
CK_INLINE void ck_mix(const int H, const bool half, float *y, size_t size, const float *keep,
                      float (*weights)[CK_ATTENTION_BLOCK], const uint8_t *values, size_t stride,
                      size_t positions) {
  enum { MOST = 4 };
  const int STEP = CK_SUMS / H < MOST ? CK_SUMS / H : MOST;
  size_t i = 0;
  for (; i + STEP * 8 <= size; i += STEP * 8) {
    f8 sum[CK_SUMS];
#pragma clang loop unroll(full)
    for (int c = 0; c < H * STEP; c++) {
      CK_LOAD8(sum[c], y + c / STEP * size + i + c % STEP * 8);
      sum[c] *= keep[c / STEP];
    }
    const uint8_t *row = values;
    for (size_t p = 0; p < positions; p++, row += stride) {
      f8 v[MOST];
      if (i == 0) ck_ask_ahead(row, stride);
#pragma clang loop unroll(full)
      for (int s = 0; s < STEP; s++) ck_cached8(&v[s], half, row, i + s * 8);
#pragma clang loop unroll(full)
      for (int c = 0; c < H * STEP; c++) sum[c] += v[c % STEP] * weights[c / STEP][p];
    }
#pragma clang loop unroll(full)
    for (int c = 0; c < H * STEP; c++) CK_STORE8(y + c / STEP * size + i + c % STEP * 8, sum[c]);
  }
  for (; i < size; i++) {
    for (int h = 0; h < H; h++) {
      float sum = y[h * size + i] * keep[h];
      for (size_t p = 0; p < positions; p++) {
        const uint8_t *row = values + p * stride;
        sum += (half ? ck_from_half(((const uint16_t *)row)[i]) : ((const float *)row)[i]) * weights[h][p];
      }
      y[h * size + i] = sum;
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

/// Cached rows of one block of positions.
typedef struct {
  const uint8_t *rows;
  size_t stride;  // bytes
  bool half;      // else floats
} ck_block_rows;

/// Where a block's rows are, or where they have been converted to: `buffer`.
CK_INLINE ck_block_rows ck_rows_of(const ck_attention_job *job, const void *cache, size_t first,
                                   size_t positions, float *buffer) {
  const size_t size = job->head_size, stride = ck_cache_row_bytes(job->cache_format, size);
  const uint8_t *rows = (const uint8_t *)cache + first * stride;
  if (job->cache_format == CK_CACHE_F32) return (ck_block_rows){rows, stride, false};
  if (job->cache_format == CK_CACHE_F16 && size % 8 == 0) return (ck_block_rows){rows, stride, true};
  ck_load_heads(rows, job->cache_format, positions, size, buffer);
  return (ck_block_rows){(const uint8_t *)buffer, size * 4, false};
}

// Calls `function` with as many heads at once as there are left, and with the kind of the rows.
#define CK_BY_HEADS(function, heads, half, ...)                                  \
  for (size_t h = 0, H; h < (heads); h += H) {                                   \
    H = (heads) - h >= 4 ? 4 : (heads) - h >= 2 ? 2 : 1;                         \
    if (half) {                                                                  \
      if (H == 4) function(4, true, __VA_ARGS__);                                \
      if (H == 2) function(2, true, __VA_ARGS__);                                \
      if (H == 1) function(1, true, __VA_ARGS__);                                \
    } else {                                                                     \
      if (H == 4) function(4, false, __VA_ARGS__);                               \
      if (H == 2) function(2, false, __VA_ARGS__);                               \
      if (H == 1) function(1, false, __VA_ARGS__);                               \
    }                                                                            \
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
  const size_t seen = job->window == 0 || job->window > positions ? positions : job->window;
  const size_t oldest = positions - seen;
  for (size_t p0 = oldest / CK_ATTENTION_BLOCK * CK_ATTENTION_BLOCK; p0 < positions; p0 += CK_ATTENTION_BLOCK) {
    const size_t left = positions - p0, count = left < CK_ATTENTION_BLOCK ? left : CK_ATTENTION_BLOCK;
    const size_t first = kv_head * job->cache_capacity + p0;
    const ck_block_rows k = ck_rows_of(job, job->keys, first, count, buffer);
    CK_BY_HEADS(ck_scores, heads, k.half, q + h * size, k.rows, k.stride, size, count, job->scale, scores + h)
    const size_t hidden = p0 < oldest ? oldest - p0 : 0;
    for (size_t h = 0; h < heads; h++) {
      ck_limit_scores(scores[h], hidden, job->cap);
      const float sum = ck_block_weights(scores[h], count, &most[h], &keep[h]);
      total[h] = total[h] * keep[h] + sum;
    }
    const ck_block_rows v = ck_rows_of(job, job->values, first, count, buffer);
    CK_BY_HEADS(ck_mix, heads, v.half, y + h * size, size, keep + h, scores + h, v.rows, v.stride, count)
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
