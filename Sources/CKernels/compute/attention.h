// Causal attention with an online softmax (Milakov and Gimelshein 2018), for the instruction set that
// the including file has chosen. Blocks of positions start at 0 whatever the batch, so a row's result
// does not depend on what it was computed together with.
#ifndef CKERNELS_ATTENTION_H
#define CKERNELS_ATTENTION_H

#include "floats.h"

enum { CK_ATTENTION_BLOCK = 32, CK_ATTENTION_HEADS = 8, CK_ATTENTION_SIZE = 512 };

CK_INLINE float ck_dot(const float *a, const float *b, size_t count) {
  f8 even = {0}, odd = {0};
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    f8 a0, b0, a1, b1;
    CK_LOAD8(a0, a + i);
    CK_LOAD8(b0, b + i);
    CK_LOAD8(a1, a + i + 8);
    CK_LOAD8(b1, b + i + 8);
    even += a0 * b0;
    odd += a1 * b1;
  }
  even += odd;
  float sum = ck_sum8(&even);
  for (; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/// y = y * keep + sum of weights[p] * values[p], each (size); `size` counts from a multiple of 32.
CK_INLINE void ck_mix(float *y, size_t size, float keep, const float *weights, const float *values,
                      size_t positions) {
  size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    f8 sum[4];
    memcpy(sum, y + i, sizeof sum);
    for (int k = 0; k < 4; k++) sum[k] *= keep;
    for (size_t p = 0; p < positions; p++) {
      f8 v[4];
      memcpy(v, values + p * size + i, sizeof v);
      for (int k = 0; k < 4; k++) sum[k] += v[k] * weights[p];
    }
    memcpy(y + i, sum, sizeof sum);
  }
  for (; i < size; i++) {
    float sum = y[i] * keep;
    for (size_t p = 0; p < positions; p++) sum += values[p * size + i] * weights[p];
    y[i] = sum;
  }
}

/// Turns a block's scores into weights relative to the highest score so far; gives their sum.
CK_INLINE float ck_block_weights(float *scores, size_t count, float *most, float *keep) {
  float top = *most;
  for (size_t p = 0; p < count; p++)
    if (!(scores[p] <= top)) top = scores[p];
  for (size_t p = count; p < CK_ATTENTION_BLOCK; p++) scores[p] = -INFINITY;
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

/// The block's rows as floats: where they are, or converted into `buffer`.
CK_INLINE const float *ck_block_rows(const void *cache, bool half, size_t first, size_t count,
                                     float *buffer) {
  if (!half) return (const float *)cache + first;
  const uint16_t *halves = (const uint16_t *)cache + first;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    f8 v;
    ck_load_half8(&v, halves + i);
    CK_STORE8(buffer + i, v);
  }
  for (; i < count; i++) buffer[i] = ck_from_half(halves[i]);
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
    const size_t first = (kv_head * job->cache_capacity + p0) * size;
    const float *k = ck_block_rows(job->keys, job->cache_half, first, count * size, buffer);
    for (size_t h = 0; h < heads; h++) {
      for (size_t p = 0; p < count; p++)
        scores[h][p] = ck_dot(q + h * size, k + p * size, size) * job->scale;
      const float sum = ck_block_weights(scores[h], count, &most[h], &keep[h]);
      total[h] = total[h] * keep[h] + sum;
    }
    const float *v = ck_block_rows(job->values, job->cache_half, first, count * size, buffer);
    for (size_t h = 0; h < heads; h++) ck_mix(y + h * size, size, keep[h], scores[h], v, count);
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
