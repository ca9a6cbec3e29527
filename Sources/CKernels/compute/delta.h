// The gated delta rule (Yang, Kautz and Hatamizadeh 2024), for the instruction set that the including file has chosen.
// Positions are done one after the other, so a row's result does not depend on what it was computed together with.
#ifndef CKERNELS_DELTA_H
#define CKERNELS_DELTA_H

#include "floats.h"

/// The first `count` of eight floats, and zeros.
CK_INLINE void ck_load_some(f8 *v, const float *x, size_t count) {
  if (count == 8) {
    CK_LOAD8(*v, x);
  } else {
    *v = (f8){0};
    memcpy(v, x, count * sizeof *x);
  }
}

CK_INLINE void ck_store_some(float *x, const f8 *v, size_t count) {
  if (count == 8) {
    CK_STORE8(x, *v);
  } else {
    memcpy(x, v, count * sizeof *x);
  }
}

static float ck_sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

/// How much of a state stays, and how much of what it lacks is added.
static void ck_delta_gates(const ck_delta_input_job *job, size_t row, size_t head) {
  const size_t place = (job->position + row) % job->ring_rows * job->shape.value_heads + head;
  const float x = job->alpha[place] + job->bias[head];
  const float softplus = x > 20 ? x : log1pf(expf(x));
  job->kept[row * job->shape.value_heads + head] = expf(job->rate[head] * softplus);
  job->added[row * job->shape.value_heads + head] = ck_sigmoid(job->beta[place]);
}

/// A head of queries, keys or values of a row: silu(convolution), and that divided by its length for queries and keys.
static void ck_delta_input(const ck_delta_input_job *job, size_t row, size_t head) {
  const ck_delta_shape *shape = &job->shape;
  const size_t keys = shape->key_heads, channels = ck_delta_channels(shape), position = job->position + row;
  const bool is_value = head >= 2 * keys;
  const size_t size = is_value ? shape->value_size : shape->key_size;
  const size_t first = is_value ? 2 * keys * shape->key_size + (head - 2 * keys) * size : head * size;
  float *y = job->y + row * channels + first;
  f8 squares = {0};
  for (size_t i = 0; i < size; i += 8) {
    const size_t count = size - i < 8 ? size - i : 8;
    f8 sum = {0}, past, weight;
    for (size_t k = 0; k < job->taps; k++) {
      if (position + 1 + k < job->taps) continue;
      const size_t place = (position + 1 + k - job->taps) % job->ring_rows;
      ck_load_some(&past, job->ring + place * channels + first + i, count);
      ck_load_some(&weight, job->weight + k * channels + first + i, count);
      sum += weight * past;
    }
    f8 e = -sum;
    ck_exp8(&e);
    sum /= 1.0f + e;
    squares += sum * sum;
    ck_store_some(y + i, &sum, count);
  }
  if (is_value) return ck_delta_gates(job, row, head - 2 * keys);
  float scale = 1.0f / sqrtf(ck_sum8(&squares) + 1e-6f);
  if (head < keys) scale /= sqrtf((float)size);
  for (size_t i = 0; i < size; i++) y[i] *= scale;
}

enum { CK_DELTA_EIGHTS = CK_DELTA_COLUMNS / 8 };

/// delta = added * (v - kept * k S); S = kept * S + k delta; y = q S, where S is `state`, `(size, CK_DELTA_COLUMNS)`.
CK_INLINE void ck_delta_row(size_t size, float (*state)[CK_DELTA_COLUMNS], const float *q, const float *k,
                            f8 v[CK_DELTA_EIGHTS], float kept, float added) {
  f8 sums[2][CK_DELTA_EIGHTS] = {{{0}}}, s;
  for (size_t i = 0; i < size; i += 2)
#pragma clang loop unroll(full)
    for (int p = 0; p < 2; p++)
#pragma clang loop unroll(full)
      for (int c = 0; c < CK_DELTA_EIGHTS; c++) {
        CK_LOAD8(s, state[i + p] + 8 * c);
        sums[p][c] += s * k[i + p];
      }
  for (int c = 0; c < CK_DELTA_EIGHTS; c++) {
    v[c] = added * (v[c] - kept * (sums[0][c] + sums[1][c]));
    sums[0][c] = sums[1][c] = (f8){0};
  }
  for (size_t i = 0; i < size; i += 2)
#pragma clang loop unroll(full)
    for (int p = 0; p < 2; p++)
#pragma clang loop unroll(full)
      for (int c = 0; c < CK_DELTA_EIGHTS; c++) {
        CK_LOAD8(s, state[i + p] + 8 * c);
        s = kept * s + k[i + p] * v[c];
        CK_STORE8(state[i + p] + 8 * c, s);
        sums[p][c] += s * q[i + p];
      }
  for (int c = 0; c < CK_DELTA_EIGHTS; c++) v[c] = sums[0][c] + sums[1][c];
}

/// All rows of some columns of a value head's state, which fit a processor's nearest cache.
static void ck_delta(const ck_delta_job *job, size_t head, size_t first) {
  const ck_delta_shape *shape = &job->shape;
  const size_t size = shape->key_size, width = shape->value_size, keys = shape->key_heads * size;
  const size_t left = width - first, count = left < CK_DELTA_COLUMNS ? left : CK_DELTA_COLUMNS;
  const size_t channels = ck_delta_channels(shape), place = head * size * width + first;
  float state[CK_DELTA_SIZE][CK_DELTA_COLUMNS];
  for (size_t i = 0; i < size; i++) {
    memset(state[i], 0, sizeof state[i]);
    memcpy(state[i], job->source + place + i * width, count * sizeof **state);
  }
  for (size_t row = 0; row < job->batch; row++) {
    const float *q = job->x + row * channels + head % shape->key_heads * size;
    float values[CK_DELTA_COLUMNS] = {0};
    memcpy(values, job->x + row * channels + 2 * keys + head * width + first, count * sizeof *values);
    f8 v[CK_DELTA_EIGHTS];
    memcpy(v, values, sizeof v);
    const size_t gate = row * shape->value_heads + head;
    ck_delta_row(size, state, q, q + keys, v, job->kept[gate], job->added[gate]);
    if (job->y) memcpy(job->y + row * job->y_stride + head * width + first, v, count * sizeof *values);
  }
  for (size_t i = 0; i < size; i++)
    memcpy(job->target + place + i * width, state[i], count * sizeof **state);
}

#endif
