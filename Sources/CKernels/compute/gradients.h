// Gradients of the steps between products, for the instruction set that the including file has chosen.
#ifndef CKERNELS_GRADIENTS_H
#define CKERNELS_GRADIENTS_H

#include "floats.h"

/// With s the sigmoid of a(g), the derivatives of g s u by g and u: (s + g s (1 - s) a') u and g s; of s u those are
/// s (1 - s) u and s.
CK_INLINE void ck_gate_gradient_columns(const ck_activation activation, const float *gate, const float *up, float *first,
                                        float *second, size_t count) {
  const bool gelu = activation == CK_GELU, sigmoid = activation == CK_SIGMOID;
  for (size_t i = 0; i < count; i += 8) {
    const size_t bytes = (count - i < 8 ? count - i : 8) * sizeof(float);
    f8 g = {0}, u = {0}, d = {0};
    memcpy(&g, gate + i, bytes);
    memcpy(&u, up + i, bytes);
    memcpy(&d, first + i, bytes);
    f8 e = gelu ? g * (-1.5957691f - 0.071354814f * g * g) : -g;
    const f8 slope = gelu ? 1.5957691f + 0.21406444f * g * g : CK_ALL(1.0f);
    ck_exp8(&e);
    const f8 s = 1.0f / (1.0f + e), gated = sigmoid ? s : g * s;
    u = d * u * (sigmoid ? s * (1.0f - s) : s + gated * (1.0f - s) * slope);
    d = d * gated;
    memcpy(first + i, &u, bytes);
    memcpy(second + i, &d, bytes);
  }
}

static void ck_gate_gradient(const float *gate, const float *up, float *first, float *second, size_t count,
                             ck_activation activation) {
  switch (activation) {
    case CK_GELU: ck_gate_gradient_columns(CK_GELU, gate, up, first, second, count); break;
    case CK_SIGMOID: ck_gate_gradient_columns(CK_SIGMOID, gate, up, first, second, count); break;
    default: ck_gate_gradient_columns(CK_SILU, gate, up, first, second, count);
  }
}

/// dx = w dy / r - x (x · w dy) / (n r³), where r is the root mean square of x.
static void ck_norm_gradient(const float *x, size_t columns, const float *weight, float epsilon, float *dy) {
  f8 squares = {0}, products = {0};
  size_t i = 0;
  for (; i + 8 <= columns; i += 8) {
    f8 v, w, d;
    CK_LOAD8(v, x + i);
    CK_LOAD8(w, weight + i);
    CK_LOAD8(d, dy + i);
    squares += v * v;
    products += v * w * d;
  }
  float square = ck_sum8(&squares), product = ck_sum8(&products);
  for (; i < columns; i++) {
    square += x[i] * x[i];
    product += x[i] * weight[i] * dy[i];
  }
  const float scale = 1.0f / sqrtf(square / (float)columns + epsilon);
  const float pull = product * scale * scale * scale / (float)columns;
  for (i = 0; i < columns; i++) dy[i] = weight[i] * dy[i] * scale - x[i] * pull;
}

#endif
