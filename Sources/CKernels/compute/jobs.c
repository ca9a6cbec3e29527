#include <math.h>
#include <string.h>

#include "../include/logits.h"
#include "../include/quantize.h"
#include "../include/training.h"
#include "tiled.h"

ck_form ck_form_of(uint32_t type) {
  switch (type) {
    case CK_F32: case CK_F16: case CK_BF16: return CK_FLOATS;
    default: return CK_BLOCKS;
  }
}

size_t ck_tile_rows(ck_cpu cpu, uint32_t type) {
  return ck_variant_for(cpu)->wide[ck_slot(type)] ? CK_WIDE_TILE_ROWS : CK_TILE_ROWS;
}

size_t ck_row_bytes(ck_form form, size_t columns) {
  return form == CK_FLOATS ? columns * 4 : ck_padded(columns / 32) * 16 + columns;
}

/// Rounds a row as ck_quantize_job does.
static void round_row(ck_cpu cpu, const float *x, size_t columns, uint8_t *q) {
  ck_variant_for(cpu)->quantize(x, columns, 0, columns / 32, q);
}

void ck_quantize_chunk(const void *argument, size_t row) {
  const ck_quantize_job *job = argument;
  round_row(job->cpu, job->x + row * job->x_stride, job->columns, job->q + row * ck_row_bytes(CK_BLOCKS, job->columns));
}

static void dequantize(uint32_t type, const uint8_t *row, float *y, size_t columns) {
  switch (type) {
    case CK_F32: memcpy(y, row, columns * 4); break;
    case CK_F16: ck_dequantize_f16(row, y, columns); break;
    case CK_BF16: ck_dequantize_bf16(row, y, columns); break;
    case CK_Q4_0: ck_dequantize_q4_0(row, y, columns / 32); break;
    case CK_Q4_1: ck_dequantize_q4_1(row, y, columns / 32); break;
    case CK_Q5_0: ck_dequantize_q5_0(row, y, columns / 32); break;
    case CK_Q5_1: ck_dequantize_q5_1(row, y, columns / 32); break;
    case CK_Q8_0: ck_dequantize_q8_0(row, y, columns / 32); break;
    case CK_Q2_K: ck_dequantize_q2_k(row, y, columns / 256); break;
    case CK_Q3_K: ck_dequantize_q3_k(row, y, columns / 256); break;
    case CK_Q4_K: ck_dequantize_q4_k(row, y, columns / 256); break;
    case CK_Q5_K: ck_dequantize_q5_k(row, y, columns / 256); break;
    case CK_Q6_K: ck_dequantize_q6_k(row, y, columns / 256); break;
    case CK_Q2_B: ck_dequantize_q2_b(row, y, columns / 64); break;
    case CK_Q2_0: ck_dequantize_q2_0(row, y, columns / 64); break;
    case CK_TQ2_0: ck_dequantize_tq2_0(row, y, columns / 256); break;
    case CK_MXFP4: ck_dequantize_mxfp4(row, y, columns / 32); break;
    case CK_IQ4_NL: ck_dequantize_iq4_nl(row, y, columns / 32); break;
    case CK_IQ4_XS: ck_dequantize_iq4_xs(row, y, columns / 256); break;
    case CK_IQ2_XXS: ck_dequantize_iq2_xxs(row, y, columns / 256); break;
    case CK_IQ2_XS: ck_dequantize_iq2_xs(row, y, columns / 256); break;
    case CK_IQ2_S: ck_dequantize_iq2_s(row, y, columns / 256); break;
    case CK_IQ3_XXS: ck_dequantize_iq3_xxs(row, y, columns / 256); break;
    case CK_IQ3_S: ck_dequantize_iq3_s(row, y, columns / 256); break;
  }
}

void ck_dequantize_part(uint32_t type, const uint8_t *bytes, size_t row_bytes, size_t rows, size_t columns, float *values,
                        size_t stride) {
  for (size_t r = 0; r < rows; r++) dequantize(type, bytes + r * row_bytes, values + r * stride, columns);
}

void ck_gather_chunk(const void *argument, size_t chunk) {
  const ck_gather_job *job = argument;
  const size_t row = (size_t)job->rows[chunk];
  float *y = job->y + chunk * job->y_stride;
  if (job->tile_rows == 0) {
    dequantize(job->type, job->weights + row * job->row_bytes, y, job->columns);
    return;
  }
  ck_part parts[CK_PARTS];
  const size_t blocks = job->row_bytes / ck_tile_parts(job->type, parts), length = job->columns / blocks;
  const uint8_t *tile = job->weights + row / job->tile_rows * job->tile_rows * job->row_bytes;
  for (size_t b = 0; b < blocks; b++) {
    uint8_t block[256];
    ck_untile_block(job->type, job->tile_rows, tile, b, row % job->tile_rows, block);
    dequantize(job->type, block, y + b * length, length);
  }
}

void ck_norm_chunk(const void *argument, size_t row) {
  const ck_norm_job *job = argument;
  float *y = job->y + row * job->y_stride;
  ck_variant_for(job->cpu)->norm(job->x + row * job->x_stride, job->columns, job->weight, job->epsilon, y);
  if (job->q) round_row(job->cpu, y, job->columns, job->q + row * ck_row_bytes(CK_BLOCKS, job->columns));
}

size_t ck_head_chunks(const ck_head_job *job) {
  const size_t end = job->position % CK_ATTENTION_BLOCK + job->batch;
  return (end + CK_ATTENTION_BLOCK - 1) / CK_ATTENTION_BLOCK * job->heads;
}

void ck_head_chunk(const void *argument, size_t chunk) {
  const ck_head_job *job = argument;
  const size_t skipped = job->position % CK_ATTENTION_BLOCK, block = chunk / job->heads * CK_ATTENTION_BLOCK;
  const size_t end = ck_least(block + CK_ATTENTION_BLOCK - skipped, job->batch);
  for (size_t row = ck_most(block, skipped) - skipped; row < end; row++)
    ck_variant_for(job->cpu)->head(job, row, chunk % job->heads);
}

void ck_rotation_chunk(const void *argument, size_t row) {
  const ck_rotation_job *job = argument;
  for (size_t i = 0; i < job->count; i++) {
    const float angle = (float)(job->position + row) * job->frequency[i];
    job->cosine[row * job->count + i] = job->magnitude * cosf(angle);
    job->sine[row * job->count + i] = job->magnitude * sinf(angle);
  }
}

void ck_attention_chunk(const void *argument, size_t chunk) {
  const ck_attention_job *job = argument;
  const size_t parts = (job->batch + job->rows - 1) / job->rows;
  const size_t row = chunk % parts * job->rows, kv_head = chunk / parts;
  const size_t end = ck_least(row + job->rows, job->batch);
  ck_variant_for(job->cpu)->attend(job, row, end - row, kv_head);
  if (!job->rounded) return;
  const size_t columns = job->heads * job->head_size, blocks = columns / job->kv_heads / 32;
  for (size_t n = row; n < end; n++)
    ck_variant_for(job->cpu)->quantize(job->y + n * job->y_stride, columns, kv_head * blocks, (kv_head + 1) * blocks,
                                       job->rounded + n * ck_row_bytes(CK_BLOCKS, columns));
}

void ck_joined_chunk(const void *argument, size_t chunk) {
  const ck_joined_job *job = argument;
  size_t i = 0;
  while (chunk >= job->ends[i]) i++;
  job->body((const uint8_t *)job->jobs + i * job->job_bytes, i > 0 ? chunk - job->ends[i - 1] : chunk);
}

/// Where the columns of a chunk begin, and how many they are.
static size_t columns_of(size_t chunk, size_t columns, size_t stride, size_t *count) {
  const size_t parts = (columns + CK_CHUNK_COLUMNS - 1) / CK_CHUNK_COLUMNS;
  const size_t first = chunk % parts * CK_CHUNK_COLUMNS;
  *count = ck_least(columns - first, CK_CHUNK_COLUMNS);
  return chunk / parts * stride + first;
}

void ck_gate_chunk(const void *argument, size_t chunk) {
  const ck_gate_job *job = argument;
  size_t count;
  const size_t from = columns_of(chunk, job->columns, job->stride, &count);
  const float *up = job->up + columns_of(chunk, job->columns, job->up_stride, &count);
  ck_variant_for(job->cpu)->gate(job->gate + from, up, count, job->activation);
}

void ck_scale_chunk(const void *argument, size_t chunk) {
  const ck_scale_job *job = argument;
  size_t count;
  const size_t from = columns_of(chunk, job->columns, job->stride, &count);
  ck_variant_for(job->cpu)->scale(job->x + from, count, job->scale, job->cap);
}

void ck_weights_chunk(const void *argument, size_t chunk) {
  const ck_weights_job *job = argument;
  const size_t first = chunk * CK_WEIGHTS;
  job->sums[chunk] = ck_variant_for(job->cpu)->relative_weights(job->x + first, ck_least(job->count - first, CK_WEIGHTS),
                                                                job->top, job->temperature);
}

void ck_add_chunk(const void *argument, size_t chunk) {
  const ck_add_job *job = argument;
  size_t count;
  const size_t from = columns_of(chunk, job->columns, job->stride, &count);
  for (size_t i = from; i < from + count; i++) job->x[i] += job->scale * job->y[i];
}

void ck_convolution_chunk(const void *argument, size_t chunk) {
  const ck_convolution_job *job = argument;
  const size_t first = chunk * CK_CONVOLUTION_COLUMNS, columns = job->columns;
  const size_t count = ck_least(CK_CONVOLUTION_COLUMNS, columns - first);
  for (size_t row = 0; row < job->batch; row++) {
    const size_t position = job->position + row;
    const float *b = job->bcx + row * job->stride + first, *c = b + columns, *x = c + columns;
    float *u = job->ring + position % job->ring_rows * columns + first;
    float *y = job->y + row * job->y_stride + first;
    for (size_t n = 0; n < count; n++) u[n] = b[n] * x[n];
    for (size_t n = 0; n < count; n++) y[n] = 0;
    for (size_t k = 0; k < job->taps; k++) {
      if (position + 1 + k < job->taps) continue;
      const float *past = job->ring + (position + 1 + k - job->taps) % job->ring_rows * columns + first;
      const float *weight = job->weight + k * columns + first;
      for (size_t n = 0; n < count; n++) y[n] += weight[n] * past[n];
    }
    for (size_t n = 0; n < count; n++) y[n] *= c[n];
  }
}

void ck_route_chunk(const void *argument, size_t row) {
  const ck_route_job *job = argument;
  const float *logits = job->logits + row * job->stride;
  int32_t *chosen = job->chosen + row * job->used;
  float *weights = job->weights + row * job->used;
  // The best of those before `e`, in order; what is no number comes last and spoils the sum.
  for (size_t e = 0, count = 0; e < job->experts; e++) {
    if (count == job->used && !(logits[e] > logits[chosen[count - 1]])) continue;
    size_t place = count < job->used ? count++ : count - 1;
    for (; place > 0 && logits[e] > logits[chosen[place - 1]]; place--) chosen[place] = chosen[place - 1];
    chosen[place] = (int32_t)e;
  }
  const float most = logits[chosen[0]];
  float sum = 0, total = 0;
  for (size_t e = 0; e < job->experts; e++) sum += expf(logits[e] - most);
  for (size_t j = 0; j < job->used; j++) total += weights[j] = expf(logits[chosen[j]] - most) / sum;
  for (size_t j = 0; job->normalize && j < job->used; j++) weights[j] /= total;
}

void ck_spread_chunk(const void *argument, size_t row) {
  const ck_spread_job *job = argument;
  const float *x = job->x + row * job->x_stride;
  const int32_t *places = job->places + row * job->used;
  const size_t bytes = ck_row_bytes(CK_BLOCKS, job->columns);
  if (job->q) round_row(job->cpu, x, job->columns, job->q + (size_t)places[0] * bytes);
  for (size_t j = 0; j < job->used; j++) {
    const size_t place = (size_t)places[j];
    if (job->y) memcpy(job->y + place * job->y_stride, x, job->columns * sizeof *x);
    if (job->q && j > 0) memcpy(job->q + place * bytes, job->q + (size_t)places[0] * bytes, bytes);
  }
}

void ck_mix_chunk(const void *argument, size_t chunk) {
  const ck_mix_job *job = argument;
  const size_t row = chunk / ((job->columns + CK_CHUNK_COLUMNS - 1) / CK_CHUNK_COLUMNS);
  size_t count;
  float *restrict y = job->y + columns_of(chunk, job->columns, job->stride, &count);
  const size_t first = (size_t)(y - job->y) - row * job->stride;
  float sums[CK_CHUNK_COLUMNS] = {0};
  for (size_t j = 0; j < job->used; j++) {
    const float *x = job->x + (size_t)job->places[row * job->used + j] * job->x_stride + first;
    const float weight = job->weights[row * job->used + j];
    for (size_t i = 0; i < count; i++) sums[i] += weight * x[i];
  }
  for (size_t i = 0; i < count; i++) y[i] = job->accumulate ? y[i] + sums[i] : sums[i];
}

void ck_read_chunk(const void *argument, size_t chunk) {
  const ck_read_job *job = argument;
  const size_t first = chunk * job->chunk_bytes;
  const size_t left = job->count - first;
  const size_t count = left < job->chunk_bytes ? left : job->chunk_bytes;
  uint64_t sums[16] = {0}, words[16];
  for (size_t i = 0; i + sizeof words <= count; i += sizeof words) {
    memcpy(words, job->bytes + first + i, sizeof words);
    for (int k = 0; k < 16; k++) sums[k] += words[k];
  }
  for (int k = 1; k < 16; k++) sums[0] ^= sums[k];
  job->sums[chunk] = sums[0];
}

typedef float f4x4 __attribute__((vector_size(64)));
typedef int32_t i4x4 __attribute__((vector_size(64)));

size_t ck_largest(const float *x, size_t count) {
  enum { LANES = 16 };
  f4x4 tops;
  for (int i = 0; i < LANES; i++) tops[i] = -INFINITY;
  i4x4 bad = {0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    f4x4 v;
    memcpy(&v, x + i, sizeof v);
    bad |= v - v != 0;
    const i4x4 larger = v > tops;
    tops = (f4x4)(((i4x4)v & larger) | ((i4x4)tops & ~larger));
  }
  float top = -INFINITY;
  int32_t damaged = 0;
  for (int lane = 0; lane < LANES; lane++) {
    top = tops[lane] > top ? tops[lane] : top;
    damaged |= bad[lane];
  }
  for (; i < count; i++) {
    top = x[i] > top ? x[i] : top;
    damaged |= x[i] - x[i] != 0;
  }
  if (damaged) return count;
  for (i = 0; i < count; i++)
    if (x[i] == top) break;
  return i;
}

uint32_t ck_hash(const void *bytes, size_t count) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 16777619u;
  return hash;
}
