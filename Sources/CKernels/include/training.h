#ifndef CKERNELS_TRAINING_H
#define CKERNELS_TRAINING_H

#include "compute.h"

// What training computes beside the steps of a forward pass.

/// A matrix of floats in other memory: value (r, c) is at `at[r * row + c * column]`, so that a transposed matrix is
/// one whose strides are exchanged.
typedef struct {
  const float *at;
  size_t row, column;
} ck_matrix;

/// c = factor * a b, or c += that, as training multiplies; one chunk is a part of the rows and columns of c.
///
/// Every sum is computed alike whatever stands beside it.
typedef struct {
  ck_cpu cpu;
  size_t rows, depth, columns;
  ck_matrix a;  // (rows, depth)
  ck_matrix b;  // (depth, columns)
  float *c;     // (rows, columns)
  size_t c_stride;
  float factor;
  bool accumulate;
  const uint16_t *rounded;  // a as ck_round_rows rounds it, to multiply b rounded alike; or NULL
  size_t rounded_row;       // from row to row
} ck_matmul_job;

size_t ck_matmul_chunks(const ck_matmul_job *job);
void ck_matmul_chunk(const void *job, size_t chunk);

/// Whether products of values that are rounded to BF16 are faster than those of floats.
bool ck_multiplies_rounded(ck_cpu cpu);

/// Rows of floats, `stride` apart, as BF16, `rounded_row` apart, which is even and no less than `columns`.
void ck_round_rows(ck_cpu cpu, size_t rows, size_t columns, const float *x, size_t stride, uint16_t *rounded,
                   size_t rounded_row);

/// A part of quantized weights as floats: `columns` values of each of `rows` rows, which fill whole blocks, written `stride` apart.
///
/// `bytes` is where the first of them begins, `row_bytes` are from row to row.
void ck_dequantize_part(uint32_t type, const uint8_t *bytes, size_t row_bytes, size_t rows, size_t columns, float *values,
                        size_t stride);

/// y = x / rms(x) * weight for each of `rows` rows; Zhang and Sennrich 2019.
void ck_normalize(ck_cpu cpu, size_t rows, size_t columns, const float *x, const float *weight, float epsilon, float *y);

/// The gradient of x from that of y, which it takes the place of.
void ck_normalize_gradient(ck_cpu cpu, size_t rows, size_t columns, const float *x, const float *weight, float epsilon,
                           float *dy);

/// gate = activation(gate) * up.
void ck_gate_values(ck_cpu cpu, size_t count, float *gate, const float *up, ck_activation activation);

/// The gradients of gate and up from that of the result: `first` holds that and becomes the gate's, `second` becomes that of up.
void ck_gate_values_gradient(ck_cpu cpu, size_t count, const float *gate, const float *up, float *first, float *second,
                             ck_activation activation);

#endif
