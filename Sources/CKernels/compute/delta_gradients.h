// Gradients of the gated delta rule, for the instruction set that the including file has chosen.
#ifndef CKERNELS_DELTA_GRADIENTS_H
#define CKERNELS_DELTA_GRADIENTS_H

#include "delta.h"

CK_INLINE float ck_delta_dot(const float *a, const float *b, size_t count) {
  f8 sums = {0}, v, w;
  for (size_t i = 0; i < count; i += 8) {
    const size_t some = count - i < 8 ? count - i : 8;
    ck_load_some(&v, a + i, some);
    ck_load_some(&w, b + i, some);
    sums += v * w;
  }
  return ck_sum8(&sums);
}

/// y += factor * x.
CK_INLINE void ck_delta_add(float *restrict y, const float *restrict x, float factor, size_t count) {
  for (size_t i = 0; i < count; i++) y[i] += factor * x[i];
}

/// What a head reads of a row.
typedef struct {
  const float *q, *k, *v;
  float kept, added;
} ck_delta_values;

static ck_delta_values ck_delta_values_at(const ck_delta_gradient_job *job, size_t row, size_t head) {
  const ck_delta_shape *shape = &job->shape;
  const size_t keys = shape->key_heads * shape->key_size, gate = row * shape->value_heads + head;
  const float *x = job->x + row * ck_delta_channels(shape), *q = x + head % shape->key_heads * shape->key_size;
  return (ck_delta_values){.q = q, .k = q + keys, .v = x + 2 * keys + head * shape->value_size,
                           .kept = job->kept[gate], .added = job->added[gate]};
}

/// lack = v - kept * k S, where S is the state in front of a row.
CK_INLINE void ck_delta_lack(const ck_delta_shape *shape, const ck_delta_values *at, const float *state, float *lack) {
  const size_t size = shape->key_size, width = shape->value_size;
  memcpy(lack, at->v, width * sizeof *lack);
  for (size_t i = 0; i < size; i++) ck_delta_add(lack, state + i * width, -at->kept * at->k[i], width);
}

/// The state behind a row; `next` may be `state`.
static void ck_delta_advance(const ck_delta_shape *shape, const ck_delta_values *at, const float *state, float *next) {
  const size_t size = shape->key_size, width = shape->value_size;
  float lack[CK_DELTA_SIZE];
  ck_delta_lack(shape, at, state, lack);
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < width; j++)
      next[i * width + j] = at->kept * state[i * width + j] + at->k[i] * at->added * lack[j];
}

/// From the gradient of the state behind a row, without what its result adds, that of the state in front of it, and those of
/// what the head reads; `before` and `after` are these states.
static void ck_delta_gradient_row(const ck_delta_gradient_job *job, size_t row, size_t head, const float *before,
                                  const float *after, float *gradient) {
  const ck_delta_shape *shape = &job->shape;
  const size_t size = shape->key_size, width = shape->value_size, gate = row * shape->value_heads + head;
  const ck_delta_values at = ck_delta_values_at(job, row, head);
  const float *dy = job->dy + gate * width;
  float *dq = job->dx + gate * (2 * size + width), *dk = dq + size, *dv = dk + size;
  float lack[CK_DELTA_SIZE];
  ck_delta_lack(shape, &at, before, lack);
  memset(dv, 0, width * sizeof *dv);
  for (size_t i = 0; i < size; i++) {
    dq[i] = ck_delta_dot(after + i * width, dy, width);
    ck_delta_add(gradient + i * width, dy, at.q[i], width);
    ck_delta_add(dv, gradient + i * width, at.k[i], width);
  }
  job->dadded[gate] = ck_delta_dot(dv, lack, width);
  for (size_t j = 0; j < width; j++) dv[j] *= at.added;
  float dkept = 0;
  for (size_t i = 0; i < size; i++) {
    float *g = gradient + i * width;
    const float *s = before + i * width;
    dk[i] = at.added * ck_delta_dot(g, lack, width) - at.kept * ck_delta_dot(s, dv, width);
    ck_delta_add(g, dv, -at.k[i], width);
    dkept += ck_delta_dot(s, g, width);
    for (size_t j = 0; j < width; j++) g[j] *= at.kept;
  }
  job->dkept[gate] = dkept;
}

/// All rows of a head, the last one first; of the states in front of them only some are kept, and the others made again.
static void ck_delta_gradient(const ck_delta_gradient_job *job, size_t head) {
  const ck_delta_shape *shape = &job->shape;
  const size_t size = shape->key_size * shape->value_size, steps = CK_DELTA_STEPS;
  const size_t parts = (job->rows + steps - 1) / steps;
  float *gradient = job->scratch + head * ck_delta_scratch(shape, job->rows), *states = gradient + size;
  float *marks = states + (steps + 1) * size;
  memset(gradient, 0, size * sizeof *gradient);
  memset(states, 0, size * sizeof *states);
  for (size_t row = 0; row < job->rows; row++) {
    if (row % steps == 0) memcpy(marks + row / steps * size, states, size * sizeof *states);
    const ck_delta_values at = ck_delta_values_at(job, row, head);
    ck_delta_advance(shape, &at, states, states);
  }
  for (size_t part = parts; part-- > 0;) {
    const size_t first = part * steps, end = first + steps < job->rows ? first + steps : job->rows;
    memcpy(states, marks + part * size, size * sizeof *states);
    for (size_t row = first; row < end; row++) {
      const ck_delta_values at = ck_delta_values_at(job, row, head);
      ck_delta_advance(shape, &at, states + (row - first) * size, states + (row - first + 1) * size);
    }
    for (size_t row = end; row-- > first;) {
      const float *before = states + (row - first) * size;
      ck_delta_gradient_row(job, row, head, before, before + size, gradient);
    }
  }
}

#endif
