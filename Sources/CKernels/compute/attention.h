// Causal attention with an online softmax (Milakov and Gimelshein 2018), in tiles of queries by positions (Dao and others
// 2022), for the instruction set that the including file has chosen. Blocks of positions start at 0 whatever the batch, so a
// row's result does not depend on what it was computed together with.
#ifndef CKERNELS_ATTENTION_H
#define CKERNELS_ATTENTION_H

#include "attention_block.h"

// From so many queries on, halves become floats once for all of them. Where an instruction converts them, each group of queries
// does so for itself, and no buffer is written and read.
#if defined(CK_USE_F16C)
enum { CK_ATTENTION_SHARED = CK_ATTENTION_QUERIES + 1 };
#else
enum { CK_ATTENTION_SHARED = 9 };
#endif

// So many bytes before memory is read it is asked for.
enum { CK_ATTENTION_AHEAD = 8192 };

/// Queries that see the same keys and values: `heads` of each row.
typedef struct {
  size_t heads, count, size;
  size_t width;  // `size` in whole vectors
  float most[CK_ATTENTION_QUERIES], keep[CK_ATTENTION_QUERIES + CK_LANES];
  f8 total[CK_ATTENTION_QUERIES];  // sums of weights of every eighth position
  _Alignas(64) float scores[CK_ATTENTION_QUERIES][CK_ATTENTION_BLOCK];
  _Alignas(64) float buffer[CK_ATTENTION_BLOCK * CK_ATTENTION_SIZE];
  _Alignas(64) float q[CK_ATTENTION_QUERIES * CK_ATTENTION_SIZE];  // (size, count), scaled
  _Alignas(64) float y[CK_ATTENTION_QUERIES * CK_ATTENTION_SIZE];  // (count, width)
} ck_queries;

// It lies on the stack, and a thread that Dispatch starts on macOS has 512 KB for it and for all that calls it.
_Static_assert(sizeof(ck_queries) <= 320 << 10, "the state of an attention has to fit on a small stack");

/// The first positions of a block, of which a window hides the first.
typedef struct {
  size_t count, hidden;
} ck_seen;

/// The block that will be read when CK_ATTENTION_AHEAD bytes, or some more, have been; near the end the one at `first` itself.
CK_INLINE const uint8_t *ck_block_ahead(const ck_attention_job *job, size_t offset, size_t row_bytes, size_t kv_head,
                                        size_t first) {
  const size_t block = CK_ATTENTION_BLOCK * row_bytes;
  const size_t next = first + (CK_ATTENTION_AHEAD + block - 1) / block * CK_ATTENTION_BLOCK;
  return ck_cache_block(job->pages, offset, row_bytes, kv_head, next < job->position + job->batch ? next : first);
}

/// Where a block's keys are, or where they have been converted to for so many `queries`: the buffer.
CK_INLINE ck_block_part ck_keys_of(const ck_attention_job *job, ck_queries *a, size_t kv_head, size_t first, size_t queries) {
  const size_t row_bytes = ck_cache_row_bytes(job->cache_format, a->size);
  const uint8_t *at = ck_cache_block(job->pages, job->keys, row_bytes, kv_head, first);
  ck_block_part keys = {.at = at, .stride = CK_ATTENTION_BLOCK * 4,
                        .ahead = ck_block_ahead(job, job->keys, row_bytes, kv_head, first),
                        .ahead_stride = CK_ATTENTION_BLOCK * row_bytes / a->size};
  if (job->cache_format == CK_CACHE_F32) return keys;
  if (job->cache_format == CK_CACHE_F16 && queries < CK_ATTENTION_SHARED) {
    keys.stride = CK_ATTENTION_BLOCK * 2, keys.half = true;
    return keys;
  }
  if (job->cache_format == CK_CACHE_F16) {
    ck_load_halves((const uint16_t *)at, CK_ATTENTION_BLOCK * a->size, a->buffer);
  } else {
    ck_load_byte_columns(at, a->size, a->buffer);
  }
  keys.at = (const uint8_t *)a->buffer;
  return keys;
}

/// The same of the values of `count` positions; rows of a buffer are whole vectors.
CK_INLINE ck_block_part ck_values_of(const ck_attention_job *job, ck_queries *a, size_t kv_head, size_t first, size_t count,
                                     size_t queries) {
  const size_t row_bytes = ck_cache_row_bytes(job->cache_format, a->size);
  const uint8_t *at = ck_cache_block(job->pages, job->values, row_bytes, kv_head, first);
  const bool whole = a->size == a->width;
  ck_block_part values = {.at = at, .stride = row_bytes,
                          .ahead = ck_block_ahead(job, job->values, row_bytes, kv_head, first), .ahead_stride = row_bytes};
  if (job->cache_format == CK_CACHE_F32 && whole) return values;
  if (job->cache_format == CK_CACHE_F16 && whole && queries < CK_ATTENTION_SHARED) {
    values.half = true;
    return values;
  }
  for (size_t p = 0; p < count; p++) {
    float *row = a->buffer + p * a->width;
    ck_load_head(at + p * row_bytes, job->cache_format, a->size, row);
    for (size_t i = a->size; i < a->width; i++) row[i] = 0;
  }
  values.at = (const uint8_t *)a->buffer, values.stride = a->width * 4;
  return values;
}

// Many queries at once, where there are registers for their sums: what is cached is then converted less often.
#if CK_VECTOR_BYTES == 64
#define CK_MANY_QUERIES(function, ...)                                            \
      case 18: function(9, false, __VA_ARGS__); break;                            \
      case 19: function(9, true, __VA_ARGS__); break;                             \
      case 24: function(12, false, __VA_ARGS__); break;                           \
      case 25: function(12, true, __VA_ARGS__); break;
#else
#define CK_MANY_QUERIES(function, ...)
#endif

/// How many of the queries that are left are done at once.
CK_INLINE size_t ck_at_once(size_t left) {
  if (CK_VECTOR_BYTES == 64 && left >= 9) return left >= 12 ? 12 : 9;
  return left >= 6 ? 6 : left == 5 ? 3 : left;
}

// Calls `function` for as many queries at once as there are left, n the first of them, with the kind of what is cached.
#define CK_BY_QUERIES(function, from, end, half, ...)                             \
  for (size_t n = (from), N; n < (end); n += N) {                                 \
    N = ck_at_once((end) - n);                                                    \
    switch (N * 2 + (half)) {                                                     \
      case 2: function(1, false, __VA_ARGS__); break;                             \
      case 3: function(1, true, __VA_ARGS__); break;                              \
      case 4: function(2, false, __VA_ARGS__); break;                             \
      case 5: function(2, true, __VA_ARGS__); break;                              \
      case 6: function(3, false, __VA_ARGS__); break;                             \
      case 7: function(3, true, __VA_ARGS__); break;                              \
      case 8: function(4, false, __VA_ARGS__); break;                             \
      case 9: function(4, true, __VA_ARGS__); break;                              \
      CK_MANY_QUERIES(function, __VA_ARGS__)                                      \
      case 12: function(6, false, __VA_ARGS__); break;                            \
      default: function(6, true, __VA_ARGS__);                                    \
    }                                                                             \
  }

static void ck_scores_of(ck_queries *a, size_t from, size_t end, const ck_block_part *k) {
  CK_BY_QUERIES(ck_scores, from, end, k->half, a->q + n, a->count, k, n == from, a->size, a->scores + n)
}

static void ck_mix_of(ck_queries *a, size_t from, size_t end, const ck_block_part *v, size_t positions) {
  CK_BY_QUERIES(ck_mix, from, end, v->half, a->y + n * a->width, a->width, a->keep + n, a->scores + n, v, n == from,
                positions)
}

/// What row `row` sees of the block at `first`.
CK_INLINE ck_seen ck_seen_by(const ck_attention_job *job, size_t row, size_t first) {
  const size_t positions = job->position + row + 1;
  const size_t oldest = job->window == 0 || job->window > positions ? 0 : positions - job->window;
  if (first >= positions || first + CK_ATTENTION_BLOCK <= oldest) return (ck_seen){0, 0};
  const size_t left = positions - first;
  return (ck_seen){left < CK_ATTENTION_BLOCK ? left : CK_ATTENTION_BLOCK, oldest > first ? oldest - first : 0};
}

CK_INLINE bool ck_sees_all(ck_seen seen) { return seen.count == CK_ATTENTION_BLOCK && seen.hidden == 0; }

/// Adds what the `rows` from `row` on, whose queries begin with `from`, see of the block at `first`: each something.
CK_INLINE void ck_attend_block(const ck_attention_job *job, ck_queries *a, size_t row, size_t rows, size_t from,
                               size_t kv_head, size_t first) {
  const size_t end = from + rows * a->heads;
  const ck_seen last = ck_seen_by(job, row + rows - 1, first);
  const bool all = ck_sees_all(ck_seen_by(job, row, first)) && ck_sees_all(last);
  const ck_block_part k = ck_keys_of(job, a, kv_head, first, end - from);
  ck_scores_of(a, from, end, &k);
  for (size_t n = from; n < end && (!all || job->cap != 0); n++) {
    const ck_seen seen = ck_seen_by(job, row + (n - from) / a->heads, first);
    ck_limit_scores(a->scores[n], seen.hidden, seen.count, job->cap);
  }
  ck_block_weights(a->scores + from, end - from, a->most + from, a->total + from, a->keep + from);
  const ck_block_part v = ck_values_of(job, a, kv_head, first, last.count, end - from);
  if (all) {
    ck_mix_of(a, from, end, &v, CK_ATTENTION_BLOCK);
    return;
  }
  for (size_t r = 0; r < rows; r++)
    ck_mix_of(a, from + r * a->heads, from + (r + 1) * a->heads, &v, ck_seen_by(job, row + r, first).count);
}

/// Up to CK_ATTENTION_HEADS query heads that share one key/value head, of several rows.
CK_INLINE void ck_attend_heads(const ck_attention_job *job, ck_queries *a, size_t row, size_t rows, size_t kv_head,
                               size_t head) {
  const size_t count = a->count = rows * a->heads, size = a->size;
  for (size_t n = 0; n < count; n++) {
    const float *q = job->q + (row + n / a->heads) * job->q_stride + (head + n % a->heads) * size;
    for (size_t i = 0; i < size; i++) a->q[i * count + n] = q[i] * job->scale;
    a->most[n] = -INFINITY, a->total[n] = (f8){0};
  }
  memset(a->y, 0, count * a->width * sizeof *a->y);
  const size_t positions = job->position + row + 1;
  const size_t oldest = job->window == 0 || job->window > positions ? 0 : positions - job->window;
  for (size_t p = oldest / CK_ATTENTION_BLOCK * CK_ATTENTION_BLOCK; p < positions + rows - 1; p += CK_ATTENTION_BLOCK) {
    size_t from = 0, end = rows;
    while (ck_seen_by(job, row + from, p).count == 0) from++;
    while (ck_seen_by(job, row + end - 1, p).count == 0) end--;
    ck_attend_block(job, a, row + from, end - from, from * a->heads, kv_head, p);
  }
  for (size_t n = 0; n < count; n++) {
    float *y = job->y + (row + n / a->heads) * job->y_stride + (head + n % a->heads) * size;
    const float total = ck_sum8(&a->total[n]);
    for (size_t i = 0; i < size; i++) y[i] = a->y[n * a->width + i] / total;
  }
}

static void ck_attend(const ck_attention_job *job, size_t row, size_t rows, size_t kv_head) {
  const size_t group = job->heads / job->kv_heads, size = job->head_size;
  ck_queries a;
  a.size = size, a.width = (size + CK_LANES - 1) / CK_LANES * CK_LANES;
  for (size_t h = 0; h < group; h += CK_ATTENTION_HEADS) {
    a.heads = group - h < CK_ATTENTION_HEADS ? group - h : CK_ATTENTION_HEADS;
    ck_attend_heads(job, &a, row, rows, kv_head, kv_head * group + h);
  }
}

#endif
