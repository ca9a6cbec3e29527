#include <string.h>

#include "variant.h"

void ck_keep_chunk(const void *argument, size_t row) {
  const ck_keep_job *job = argument;
  float *kept = job->ring + (job->position + row) % job->ring_rows * job->columns;
  memcpy(kept, job->x + row * job->stride, job->columns * sizeof *kept);
}

void ck_part_heads_chunk(const void *argument, size_t row) {
  const ck_part_heads_job *job = argument;
  const size_t size = job->head_size;
  for (size_t h = 0; h < job->heads; h++) {
    const float *x = job->x + row * job->x_stride + 2 * h * size;
    memcpy(job->first + row * job->y_stride + h * size, x, size * sizeof *x);
    memcpy(job->second + row * job->y_stride + h * size, x + size, size * sizeof *x);
  }
}

void ck_delta_input_chunk(const void *argument, size_t chunk) {
  const ck_delta_input_job *job = argument;
  const size_t heads = 2 * job->shape.key_heads + job->shape.value_heads;
  const size_t parts = (heads + CK_DELTA_HEADS - 1) / CK_DELTA_HEADS, first = chunk % parts * CK_DELTA_HEADS;
  const size_t end = first + CK_DELTA_HEADS < heads ? first + CK_DELTA_HEADS : heads;
  for (size_t h = first; h < end; h++) ck_variant_for(job->cpu)->delta_input(job, chunk / parts, h);
}

void ck_delta_chunk(const void *argument, size_t chunk) {
  const ck_delta_job *job = argument;
  const size_t parts = (job->shape.value_size + CK_DELTA_COLUMNS - 1) / CK_DELTA_COLUMNS;
  ck_variant_for(job->cpu)->delta(job, chunk / parts, chunk % parts * CK_DELTA_COLUMNS);
}

void ck_delta_gradient_chunk(const void *argument, size_t head) {
  const ck_delta_gradient_job *job = argument;
  ck_variant_for(job->cpu)->delta_gradient(job, head);
}
