// Operations on floats, for the instruction set that the including file has chosen.
#ifndef CKERNELS_FLOATS_H
#define CKERNELS_FLOATS_H

#include <math.h>

#include "blocks.h"
#include "cache.h"

// MARK: Products with floating-point weights

CK_INLINE void ck_load_weights8(const uint32_t type, f8 *out, const uint8_t *weights) {
  if (type == CK_F32) {
    CK_LOAD8(*out, weights);
  } else if (type == CK_F16) {
    ck_load_half8(out, weights);
  } else {
    u8x16 packed;
    memcpy(&packed, weights, sizeof packed);
    *out = (f8)(__builtin_convertvector(packed, u8x32) << 16);
  }
}

/// The last `count` < 8 values of a row, padded with zeros.
CK_INLINE void ck_load_tail(const uint32_t type, f8 *out, const uint8_t *weights, size_t count) {
  uint8_t padded[32] = {0};
  memcpy(padded, weights, count * ck_block_bytes(type));
  ck_load_weights8(type, out, padded);
}

/// `R` weight rows, of which `rows` are there, by `N` activation rows; R * N <= 8 sums of 8 lanes each. Every sum
/// is computed alike whatever stands beside it.
CK_INLINE void ck_float_group(const uint32_t type, const int R, const int N, size_t columns,
                              const uint8_t *weights, size_t row_bytes, size_t rows, const uint8_t *x,
                              size_t x_bytes, float *y, size_t y_stride) {
  const size_t size = ck_block_bytes(type), whole = columns / 8 * 8;
  const uint8_t *row[8];
  for (int r = 0; r < R; r++) row[r] = weights + ((size_t)r < rows ? (size_t)r : rows - 1) * row_bytes;
  f8 sums[8] = {{0}}, totals;
  for (size_t i = 0; i < columns; i += 8) {
    f8 some[4], w;
#pragma clang loop unroll(full)
    for (int n = 0; n < N; n++) {
      const uint8_t *at = x + n * x_bytes + i * 4;
      if (i < whole) {
        CK_LOAD8(some[n], at);
      } else {
        ck_load_tail(CK_F32, &some[n], at, columns - whole);
      }
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
      if (i < whole) {
        ck_load_weights8(type, &w, row[r] + i * size);
      } else {
        ck_load_tail(type, &w, row[r] + i * size, columns - whole);
      }
#pragma clang loop unroll(full)
      for (int n = 0; n < N; n++) sums[n * R + r] += w * some[n];
    }
  }
  ck_sum8x8(sums, &totals);
  for (int n = 0; n < N; n++)
    for (int r = 0; r < R && (size_t)r < rows; r++) y[n * y_stride + r] = totals[n * R + r];
}

CK_INLINE void ck_float_rows(const uint32_t type, const int R, const int N, size_t columns,
                             const uint8_t *weights, size_t row_bytes, size_t rows, const uint8_t *x,
                             size_t x_bytes, float *y, size_t y_stride) {
  for (size_t r = 0; r < rows; r += R)
    ck_float_group(type, R, N, columns, weights + r * row_bytes, row_bytes, rows - r, x, x_bytes, y + r,
                   y_stride);
}

// total[r] = dot(row r of a tile, x), of `columns` values, in the order of ck_float_group; for vectors of either width, of which
// `value` gives that of a column.
#define CK_TILED_SUMS(vector, value, columns, x, total)                                                   \
  do {                                                                                                    \
    vector parts[8] = {{0}};                                                                              \
    size_t first = 0;                                                                                     \
    for (; first + 8 <= (columns); first += 8) {                                                          \
      _Pragma("clang loop unroll(full)") for (int k = 0; k < 8; k++)                                      \
        parts[k] += value(first + k) * (x)[first + k];                                                    \
    }                                                                                                     \
    if (first < (columns)) {                                                                              \
      _Pragma("clang loop unroll(full)") for (size_t k = 0; k < 7; k++)                                   \
        if (first + k < (columns)) parts[k] += value(first + k) * (x)[first + k];                         \
    }                                                                                                     \
    (total) = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7])); \
  } while (0)
#define CK_HELD(i) tile[i]

/// Rows of few columns out of tiles: no lanes are added up.
static void ck_tiled_f16(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows, const uint8_t *x,
                         size_t x_bytes, size_t batch, float *y, size_t y_stride) {
  for (size_t r = 0; r < rows; r += CK_TILE_ROWS) {
    f8 tile[CK_FEW_COLUMNS], sums;
    for (size_t i = 0; i < columns; i++) ck_load_half8(&tile[i], weights + r * row_bytes + i * 2 * CK_TILE_ROWS);
    for (size_t n = 0; n < batch; n++) {
      CK_TILED_SUMS(f8, CK_HELD, columns, (const float *)(x + n * x_bytes), sums);
      CK_STORE8(y + n * y_stride + r, sums);
    }
  }
}

CK_INLINE void ck_float_tile(const uint32_t type, size_t columns, const uint8_t *weights,
                             size_t row_bytes, size_t rows, const uint8_t *x, size_t x_bytes,
                             size_t batch, float *y, size_t y_stride) {
  for (size_t n = 0; n < batch; n += 4, x += 4 * x_bytes, y += 4 * y_stride) {
    switch (batch - n) {
      case 1: ck_float_rows(type, 8, 1, columns, weights, row_bytes, rows, x, x_bytes, y, y_stride); break;
      case 2: ck_float_rows(type, 4, 2, columns, weights, row_bytes, rows, x, x_bytes, y, y_stride); break;
      case 3: ck_float_rows(type, 2, 3, columns, weights, row_bytes, rows, x, x_bytes, y, y_stride); break;
      default: ck_float_rows(type, 2, 4, columns, weights, row_bytes, rows, x, x_bytes, y, y_stride);
    }
  }
}

#define CK_FLOAT_TILE(name, type)                                                                \
  static void name(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,       \
                   const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride) { \
    ck_float_tile(type, columns, weights, row_bytes, rows, x, x_bytes, batch, y, y_stride);     \
  }
CK_FLOAT_TILE(ck_tile_f32, CK_F32)
CK_FLOAT_TILE(ck_tile_f16, CK_F16)
CK_FLOAT_TILE(ck_tile_bf16, CK_BF16)

// MARK: Rounding activations to int8

/// Rounds 32 values and gives their scale; `sums` gets the sums of the first and the last 16.
/// Nothing is fused here, so every variant rounds alike.
CK_INLINE float ck_round_block(const float *x, int8_t *q, int32_t sums[2]) {
#pragma clang fp contract(off)
  // As integers, values without their signs have the same order, and what is no number is above all.
  ck_lane_ints tops = {0};
  for (int i = 0; i < 32; i += CK_LANES) {
    ck_lane_ints v;
    CK_LOAD(v, x + i);
    tops = __builtin_elementwise_max(tops, v & 0x7fffffff);
  }
  const int32_t top = __builtin_reduce_max(tops);
  float most;
  memcpy(&most, &top, sizeof most);
  if (!(most <= 3.4e38f)) {
    memset(q, 0, 32);
    sums[0] = sums[1] = 0;
    return NAN;
  }
  const bool tiny = most <= 1e-30f;
  const float inverse = tiny ? 0.0f : 127.0f / most;
  ck_lane_ints group = {0};
  for (int i = 0; i < 32; i += CK_LANES) {
    ck_lanes v;
    CK_LOAD(v, x + i);
    v = v * inverse + 12582912.0f;  // 1.5 * 2^23: the low bits become the nearest integer
    const ck_lane_ints n = (ck_lane_ints)v - 0x4b400000;
    const ck_lane_bytes bytes = __builtin_convertvector(n, ck_lane_bytes);
    memcpy(q + i, &bytes, sizeof bytes);
    group = i % 16 == 0 ? n : group + n;
    if ((i + CK_LANES) % 16 == 0) sums[i / 16] = __builtin_reduce_add(group);
  }
  return tiny ? 0.0f : most / 127.0f;
}

/// Rounds blocks `first` to `end` of a row.
static void ck_quantize(const float *x, size_t columns, size_t first, size_t end, uint8_t *row) {
  const size_t blocks = columns / 32, padded = ck_padded(blocks);
  float *scales = (float *)row, *totals = scales + padded;
  int32_t *offsets = (int32_t *)(totals + padded);
  int16_t *halves = (int16_t *)(offsets + padded);
  int8_t *q = (int8_t *)(halves + 2 * padded);
  if (end == blocks) end = padded;
  for (size_t b = first; b < end; b++) {
    int32_t sums[2] = {0};
    scales[b] = b < blocks ? ck_round_block(x + b * 32, q + b * 32, sums) : 0;
    totals[b] = scales[b] * (float)(sums[0] + sums[1]);
    offsets[b] = -8 * (sums[0] + sums[1]);
    halves[2 * b] = (int16_t)sums[0];
    halves[2 * b + 1] = (int16_t)sums[1];
  }
}

/// Halves, `count` blocks of 32, as blocks of Q8_0 of CK_ROUNDING_FACTOR times their values.
static void ck_round_halves(const uint8_t *halves, size_t count, uint8_t *blocks) {
  for (size_t b = 0; b < count; b++, halves += 64, blocks += 34) {
    float values[32];
    for (int i = 0; i < 32; i += 8) {
      f8 v;
      ck_load_half8(&v, halves + 2 * i);
      CK_STORE8(values + i, v);
    }
    int32_t sums[2];
    float scale = ck_round_block(values, (int8_t *)blocks + 2, sums) * CK_ROUNDING_FACTOR;
    if (scale > 65504) scale = 65504;  // the largest halves lose a hundredth of their value
    const uint16_t half = ck_to_half(scale);
    memcpy(blocks, &half, 2);
  }
}

// MARK: Norms, rotation, gate

static void ck_norm(const float *x, size_t columns, const float *weight, float epsilon, float *y) {
  f8 squares = {0};
  size_t i = 0;
  for (; i + 8 <= columns; i += 8) {
    f8 v;
    CK_LOAD8(v, x + i);
    squares += v * v;
  }
  float sum = ck_sum8(&squares);
  for (; i < columns; i++) sum += x[i] * x[i];
  const float scale = 1.0f / sqrtf(sum / (float)columns + epsilon);
  for (i = 0; i < columns; i++) y[i] = x[i] * scale * weight[i];
}

CK_INLINE void ck_rotate(float *x, size_t rotated, bool adjacent, const float *cosine,
                         const float *sine) {
  const size_t half = rotated / 2, step = adjacent ? 2 : 1, apart = adjacent ? 1 : half;
  for (size_t i = 0; i < half; i++) {
    float *a = x + i * step, *b = a + apart;
    const float first = *a, second = *b;
    *a = first * cosine[i] - second * sine[i];
    *b = second * cosine[i] + first * sine[i];
  }
}

static void ck_head(const ck_head_job *job, size_t row, size_t head) {
  const size_t size = job->head_size, half = job->rotated / 2;
  float *x = job->x + row * job->x_stride + head * size;
  if (job->norm && job->norm_first) ck_norm(x, size, job->norm, job->epsilon, x);
  ck_rotate(x, job->rotated, job->adjacent, job->cosine + row * half, job->sine + row * half);
  if (job->norm && !job->norm_first) ck_norm(x, size, job->norm, job->epsilon, x);
  if (!job->pages) return;
  const size_t position = job->position + row, column = position % CK_ATTENTION_BLOCK;
  const size_t stride = ck_cache_row_bytes(job->cache_format, size);
  uint8_t *block = ck_cache_block(job->pages, job->offset, stride, head, position - column);
  if (job->columns) {
    ck_store_column(x, size, block, column, job->cache_format);
  } else {
    ck_store_head(x, size, block + column * stride, job->cache_format);
  }
}

/// gate = activation(gate) * up of `N` vectors; no sum waits for that of another.
///
/// The sigmoid's argument: x itself, or 2 * sqrt(2 / pi) * (x + 0.044715 * x^3); Hendrycks and Gimpel 2016.
CK_INLINE void ck_gate_vectors(const int N, const ck_activation activation, f8 *gate, const f8 *up) {
  f8 e[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < N; i++)
    e[i] = activation == CK_GELU ? gate[i] * (-1.5957691f - 0.071354814f * gate[i] * gate[i]) : -gate[i];
  ck_exp8s(N, e);
#pragma clang loop unroll(full)
  for (int i = 0; i < N; i++)
    gate[i] = (activation == CK_SIGMOID ? CK_ALL(1.0f) : gate[i]) / (1.0f + e[i]) * up[i];
}

CK_INLINE void ck_gate_columns(const ck_activation activation, float *gate, const float *up, size_t columns) {
  size_t i = 0;
  for (; i + 32 <= columns; i += 32) {
    f8 g[4], u[4];
    memcpy(g, gate + i, sizeof g);
    memcpy(u, up + i, sizeof u);
    ck_gate_vectors(4, activation, g, u);
    memcpy(gate + i, g, sizeof g);
  }
  for (; i < columns; i += 8) {
    const size_t count = columns - i < 8 ? columns - i : 8;
    f8 g = {0}, u = {0};
    memcpy(&g, gate + i, count * 4);
    memcpy(&u, up + i, count * 4);
    ck_gate_vectors(1, activation, &g, &u);
    memcpy(gate + i, &g, count * 4);
  }
}

static void ck_gate(float *gate, const float *up, size_t columns, ck_activation activation) {
  switch (activation) {
    case CK_GELU: ck_gate_columns(CK_GELU, gate, up, columns); break;
    case CK_SIGMOID: ck_gate_columns(CK_SIGMOID, gate, up, columns); break;
    default: ck_gate_columns(CK_SILU, gate, up, columns);
  }
}

static void ck_scale(float *x, size_t columns, float scale, float cap) {
  for (size_t i = 0; i < columns; i += 8) {
    const size_t count = columns - i < 8 ? columns - i : 8;
    f8 v = {0};
    memcpy(&v, x + i, count * 4);
    v *= scale;
    if (cap != 0) ck_cap8(&v, cap);
    memcpy(x + i, &v, count * 4);
  }
}

/// x = exp((x - top) / temperature); the sum of all.
static float ck_relative_weights(float *x, size_t count, float top, float temperature) {
  f8 sums = {0};
  for (size_t i = 0; i < count; i += 32) {
    f8 v[4];
    for (int k = 0; k < 4; k++) v[k] = CK_ALL(-INFINITY);
    const size_t some = count - i < 32 ? count - i : 32;
    memcpy(v, x + i, some * sizeof *x);
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; k++) v[k] = (v[k] - top) / temperature;
    ck_exp8s(4, v);
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; k++) sums += v[k];
    memcpy(x + i, v, some * sizeof *x);
  }
  return ck_sum8(&sums);
}

#endif
