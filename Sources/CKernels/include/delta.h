#ifndef CKERNELS_INCLUDE_DELTA_H
#define CKERNELS_INCLUDE_DELTA_H

#include "compute.h"

/// Copies rows to those of a ring, of position p to row p % ring_rows; one chunk is one row.
typedef struct {
  size_t columns;
  const float *x;  // (batch, columns)
  size_t stride;
  float *ring;  // (ring_rows, columns)
  size_t ring_rows;
  size_t position;  // of the first row
} ck_keep_job;

void ck_keep_chunk(const void *job, size_t chunk);

/// Parts of the heads of each row, one behind the other in `x`, apart; one chunk is one row.
typedef struct {
  size_t heads, head_size;
  const float *x;  // (batch, heads, 2, head_size)
  size_t x_stride;
  float *first, *second;  // (batch, heads, head_size)
  size_t y_stride;
} ck_part_heads_job;

void ck_part_heads_chunk(const void *job, size_t chunk);

/// The heads of a gated delta rule: value head h reads the queries and keys of head h % key_heads.
typedef struct {
  size_t key_heads, key_size;      // the size even, and at most CK_DELTA_SIZE
  size_t value_heads, value_size;  // the size at most CK_DELTA_SIZE
} ck_delta_shape;

/// The largest head; columns of a head's state that a chunk does; and heads of a row.
enum { CK_DELTA_SIZE = 256, CK_DELTA_COLUMNS = 32, CK_DELTA_HEADS = 8 };

/// Queries, keys and values of a row.
static inline size_t ck_delta_channels(const ck_delta_shape *shape) {
  return 2 * shape->key_heads * shape->key_size + shape->value_heads * shape->value_size;
}

/// What a gated delta rule reads: silu of a convolution of each channel over the last positions, which a ring holds, with
/// queries and keys divided by their lengths, and queries by the root of theirs. kept = exp(rate * softplus(alpha + bias))
/// and added = sigmoid(beta). One chunk is CK_DELTA_HEADS heads of a row, of queries, keys and values in turn.
typedef struct {
  ck_cpu cpu;
  ck_delta_shape shape;
  size_t taps;
  size_t position;            // of the first row
  const float *ring;          // (ring_rows, channels), position p in row p % ring_rows
  const float *alpha, *beta;  // (ring_rows, value_heads)
  size_t ring_rows;           // at least taps
  const float *weight;        // (taps, channels)
  const float *rate, *bias;   // (value_heads)
  float *y;                   // (batch, channels)
  float *kept, *added;        // (batch, value_heads)
} ck_delta_input_job;

void ck_delta_input_chunk(const void *job, size_t chunk);

/// Each row in turn: S = kept * S; S += k (added * (v - k S)); y = q S. One chunk is up to CK_DELTA_COLUMNS columns of a
/// value head's state, those of a head in turn.
typedef struct {
  ck_cpu cpu;
  ck_delta_shape shape;
  size_t batch;
  const float *x;             // (batch, channels)
  const float *kept, *added;  // (batch, value_heads)
  const float *source;        // (value_heads, key_size, value_size), before the first row
  float *target;              // behind the last one; may be the source
  float *y;                   // (batch, value_heads, value_size), or NULL
  size_t y_stride;
} ck_delta_job;

void ck_delta_chunk(const void *job, size_t chunk);

/// Rows between states that a gradient keeps.
enum { CK_DELTA_STEPS = 32 };

/// Floats that a head's gradient needs: a gradient, the states of some rows, and marks.
static inline size_t ck_delta_scratch(const ck_delta_shape *shape, size_t rows) {
  const size_t parts = (rows + CK_DELTA_STEPS - 1) / CK_DELTA_STEPS;
  return (CK_DELTA_STEPS + 2 + parts) * shape->key_size * shape->value_size;
}

/// The gradients of what a gated delta rule reads, from that of its result, which begins without a state; one chunk is a
/// value head.
typedef struct {
  ck_cpu cpu;
  ck_delta_shape shape;
  size_t rows;
  const float *x;             // (rows, channels)
  const float *kept, *added;  // (rows, value_heads)
  const float *dy;            // (rows, value_heads, value_size)
  float *dx;                  // (rows, value_heads, 2 * key_size + value_size): of the query, the key and the value
  float *dkept, *dadded;      // (rows, value_heads)
  float *scratch;             // (value_heads, ck_delta_scratch)
} ck_delta_gradient_job;

void ck_delta_gradient_chunk(const void *job, size_t chunk);

#endif
