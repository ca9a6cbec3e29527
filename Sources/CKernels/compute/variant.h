#ifndef CKERNELS_VARIANT_H
#define CKERNELS_VARIANT_H

#include "../include/compute.h"
#include "../include/delta.h"
#include "../include/training.h"

/// y[n * y_stride + r] = dot(weight row r, activation row n) for r < rows and n < batch <= CK_TILE.
typedef void (*ck_tile)(size_t columns, const uint8_t *weights, size_t row_bytes, size_t rows,
                        const uint8_t *x, size_t x_bytes, size_t batch, float *y, size_t y_stride);

/// Where tables by type have Q2_B, whose number is no index.
enum { CK_SLOT_Q2_B = 31, CK_SLOTS = 43 };

static inline size_t ck_slot(uint32_t type) { return type == CK_Q2_B ? CK_SLOT_Q2_B : type; }

/// The kernels of one instruction set.
typedef struct {
  ck_tile tile[CK_SLOTS];   // by ck_slot
  ck_tile tiled[CK_SLOTS];  // the same with weights in tiles, see tiled.h; writes rows up to a multiple of 8
  ck_tile wide[CK_SLOTS];   // the same with tiles of 16 rows, for types that they make faster
  void (*quantize)(const float *x, size_t columns, size_t first, size_t end, uint8_t *q);
  void (*round_halves)(const uint8_t *halves, size_t count, uint8_t *blocks);
  void (*norm)(const float *x, size_t columns, const float *weight, float epsilon, float *y);
  void (*head)(const ck_head_job *job, size_t row, size_t head);
  void (*attend)(const ck_attention_job *job, size_t row, size_t rows, size_t kv_head);
  void (*gate)(float *gate, const float *up, size_t columns, ck_activation activation);
  void (*delta_input)(const ck_delta_input_job *job, size_t row, size_t head);
  void (*delta)(const ck_delta_job *job, size_t head, size_t first);
  void (*scale)(float *x, size_t columns, float scale, float cap);
  float (*relative_weights)(float *x, size_t count, float top, float temperature);
  size_t panel;  // columns of a product that `multiply` does at a time
  void (*norm_gradient)(const float *x, size_t columns, const float *weight, float epsilon, float *dy);
  void (*delta_gradient)(const ck_delta_gradient_job *job, size_t head);
  void (*gate_gradient)(const float *gate, const float *up, float *first, float *second, size_t count,
                        ck_activation activation);
  void (*multiply)(const ck_matmul_job *job, size_t first, size_t end, size_t number);
  // The same with values rounded to BF16, and how; NULL where that is not faster.
  void (*multiply_rounded)(const ck_matmul_job *job, size_t first, size_t end, size_t number);
  void (*round_row)(const float *x, size_t count, uint16_t *y);
} ck_variant;

extern const ck_variant ck_plain;
#if defined(__x86_64__)
extern const ck_variant ck_avx2;
extern const ck_variant ck_avx512vnni;
#endif
#if defined(__aarch64__)
extern const ck_variant ck_neon;
#endif

static inline const ck_variant *ck_variant_for(ck_cpu cpu) {
  switch (cpu) {
#if defined(__x86_64__)
    case CK_CPU_AVX2: return &ck_avx2;
    case CK_CPU_AVX512VNNI: return &ck_avx512vnni;
#endif
#if defined(__aarch64__)
    case CK_CPU_NEON: return &ck_neon;
#endif
    default: return &ck_plain;
  }
}

static inline size_t ck_least(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t ck_most(size_t a, size_t b) { return a > b ? a : b; }

// Parts of a quantized row of activations, see ck_row_bytes.
static inline size_t ck_padded(size_t blocks) { return (blocks + 7) / 8 * 8; }
static inline const float *ck_scales(const uint8_t *row) { return (const float *)row; }
static inline const float *ck_totals(const uint8_t *row, size_t columns) {
  return (const float *)row + ck_padded(columns / 32);
}
static inline const int32_t *ck_offsets(const uint8_t *row, size_t columns) {
  return (const int32_t *)row + ck_padded(columns / 32) * 2;
}
static inline const int16_t *ck_half_sums(const uint8_t *row, size_t columns) {
  return (const int16_t *)row + ck_padded(columns / 32) * 6;
}
static inline const int8_t *ck_values(const uint8_t *row, size_t columns) {
  return (const int8_t *)row + ck_padded(columns / 32) * 16;
}

#endif
