#include "variant.h"

/// Rows of a product that one chunk does: enough of them that copying a panel costs little beside it.
enum { MATMUL_ROWS = 256 };

static size_t panels_of(const ck_matmul_job *job) {
  const size_t panel = ck_variant_for(job->cpu)->panel;
  return (job->columns + panel - 1) / panel;
}

size_t ck_matmul_chunks(const ck_matmul_job *job) {
  return panels_of(job) * ((job->rows + MATMUL_ROWS - 1) / MATMUL_ROWS);
}

void ck_matmul_chunk(const void *argument, size_t chunk) {
  const ck_matmul_job *job = argument;
  const size_t panels = panels_of(job), first = chunk / panels * MATMUL_ROWS, end = first + MATMUL_ROWS;
  const ck_variant *variant = ck_variant_for(job->cpu);
  (job->rounded ? variant->multiply_rounded : variant->multiply)(job, first, end < job->rows ? end : job->rows,
                                                                 chunk % panels);
}

bool ck_multiplies_rounded(ck_cpu cpu) {
#if defined(__x86_64__)
  return ck_variant_for(cpu)->multiply_rounded && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

void ck_round_rows(ck_cpu cpu, size_t rows, size_t columns, const float *x, size_t stride, uint16_t *rounded,
                   size_t rounded_row) {
  for (size_t r = 0; r < rows; r++)
    ck_variant_for(cpu)->round_row(x + r * stride, columns, rounded + r * rounded_row);
}

void ck_normalize(ck_cpu cpu, size_t rows, size_t columns, const float *x, const float *weight, float epsilon, float *y) {
  for (size_t i = 0; i < rows * columns; i += columns) ck_variant_for(cpu)->norm(x + i, columns, weight, epsilon, y + i);
}

void ck_normalize_gradient(ck_cpu cpu, size_t rows, size_t columns, const float *x, const float *weight, float epsilon,
                           float *dy) {
  for (size_t i = 0; i < rows * columns; i += columns)
    ck_variant_for(cpu)->norm_gradient(x + i, columns, weight, epsilon, dy + i);
}

void ck_gate_values(ck_cpu cpu, size_t count, float *gate, const float *up, ck_activation activation) {
  ck_variant_for(cpu)->gate(gate, up, count, activation);
}

void ck_gate_values_gradient(ck_cpu cpu, size_t count, const float *gate, const float *up, float *first, float *second,
                             ck_activation activation) {
  ck_variant_for(cpu)->gate_gradient(gate, up, first, second, count, activation);
}
