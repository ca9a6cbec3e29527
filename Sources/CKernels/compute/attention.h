// Causal attention with an online softmax (Milakov and Gimelshein 2018), for the instruction set that
// the including file has chosen. Blocks of positions start at 0 whatever the batch, so a row's result
// does not depend on what it was computed together with.
#ifndef CKERNELS_ATTENTION_H
#define CKERNELS_ATTENTION_H

#include "attention_block.h"

enum { CK_ATTENTION_SIZE = 512 };

// From so many queries on, a block is converted to floats once for all of them.
enum { CK_ATTENTION_SHARED = 9 };

/// Queries that see the same keys and values: some heads of some rows.
typedef struct {
  const float *q[CK_ATTENTION_QUERIES];
  float *y[CK_ATTENTION_QUERIES];
  float most[CK_ATTENTION_QUERIES], total[CK_ATTENTION_QUERIES], keep[CK_ATTENTION_QUERIES];
  float scores[CK_ATTENTION_QUERIES][CK_ATTENTION_BLOCK];
  float buffer[CK_ATTENTION_BLOCK * CK_ATTENTION_SIZE];
} ck_queries;

/// Positions from `first` on, the last of which are seen.
typedef struct {
  size_t first, count, hidden;
} ck_seen;

/// Where a block's rows are, or where they have been converted to: `buffer`.
CK_INLINE ck_block_rows ck_rows_of(const ck_attention_job *job, const void *cache, size_t kv_head, ck_seen seen,
                                   bool shared, float *buffer) {
  const size_t size = job->head_size, stride = ck_cache_row_bytes(job->cache_format, size);
  const uint8_t *rows = (const uint8_t *)cache + (kv_head * job->cache_capacity + seen.first) * stride;
  if (job->cache_format == CK_CACHE_F32) return (ck_block_rows){rows, stride, false, true};
  if (job->cache_format == CK_CACHE_F16 && size % 8 == 0 && !shared) return (ck_block_rows){rows, stride, true, true};
  for (size_t p = 0; p < seen.count; p++) {
    ck_ask_ahead(rows + p * stride, stride);
    ck_load_head(rows + p * stride, job->cache_format, size, buffer + p * size);
  }
  return (ck_block_rows){(const uint8_t *)buffer, size * 4, false, false};
}

// Calls `function` for as many queries at once as there are left, n the first of them, with the kind of the rows. Rows of
// floats are most often those of a buffer: three queries need the fewest loads there. Halves are converted for each group.
#define CK_BY_QUERIES(function, from, end, half, ...)                                    \
  for (size_t n = (from), N; n < (end); n += N) {                                        \
    const size_t left = (end) - n;                                                       \
    N = left >= 4 && ((half) || left == 4) ? 4 : left >= 3 && !(half) ? 3 : left >= 2 ? 2 : 1; \
    if (half) {                                                                          \
      if (N == 4) function(4, true, __VA_ARGS__);                                        \
      if (N == 2) function(2, true, __VA_ARGS__);                                        \
      if (N == 1) function(1, true, __VA_ARGS__);                                        \
    } else {                                                                             \
      if (N == 4) function(4, false, __VA_ARGS__);                                       \
      if (N == 3) function(3, false, __VA_ARGS__);                                       \
      if (N == 2) function(2, false, __VA_ARGS__);                                       \
      if (N == 1) function(1, false, __VA_ARGS__);                                       \
    }                                                                                    \
  }

/// Adds what the queries from `from` up to `end` see of one block.
CK_INLINE void ck_attend_block(const ck_attention_job *job, ck_queries *a, size_t from, size_t end, size_t kv_head,
                               ck_seen seen) {
  const bool shared = end - from >= CK_ATTENTION_SHARED;
  const ck_block_rows k = ck_rows_of(job, job->keys, kv_head, seen, shared, a->buffer);
  CK_BY_QUERIES(ck_scores, from, end, k.half, a->q + n, &k, job->head_size, seen.count, job->scale, a->scores + n)
  for (size_t n = from; n < end; n++) ck_limit_scores(a->scores[n], seen.hidden, job->cap);
  for (size_t n = from; n < end; n += 8) {
    const size_t some = end - n < 8 ? end - n : 8;
    ck_block_weights(a->scores + n, some, seen.count, a->most + n, a->total + n, a->keep + n);
  }
  const ck_block_rows v = ck_rows_of(job, job->values, kv_head, seen, shared, a->buffer);
  CK_BY_QUERIES(ck_mix, from, end, v.half, a->y + n, job->head_size, a->keep + n, a->scores + n, &v, seen.count)
}

/// What row `row` sees of the block at `first`.
CK_INLINE ck_seen ck_seen_by(const ck_attention_job *job, size_t row, size_t first) {
  const size_t positions = job->position + row + 1;
  const size_t oldest = job->window == 0 || job->window > positions ? 0 : positions - job->window;
  if (first >= positions || first + CK_ATTENTION_BLOCK <= oldest) return (ck_seen){first, 0, 0};
  const size_t left = positions - first;
  return (ck_seen){first, left < CK_ATTENTION_BLOCK ? left : CK_ATTENTION_BLOCK, oldest > first ? oldest - first : 0};
}

CK_INLINE bool ck_sees_all(ck_seen seen) { return seen.count == CK_ATTENTION_BLOCK && seen.hidden == 0; }

/// Up to CK_ATTENTION_HEADS query heads that share one key/value head, of several rows.
CK_INLINE void ck_attend_heads(const ck_attention_job *job, size_t row, size_t rows, size_t kv_head, size_t head,
                               size_t heads) {
  ck_queries a;
  const size_t size = job->head_size, count = rows * heads, last = row + rows - 1;
  for (size_t n = 0; n < count; n++) {
    a.q[n] = job->q + (row + n / heads) * job->q_stride + (head + n % heads) * size;
    a.y[n] = job->y + (row + n / heads) * job->y_stride + (head + n % heads) * size;
    a.most[n] = -INFINITY, a.total[n] = 0;
    memset(a.y[n], 0, size * sizeof *a.y[n]);
  }
  const size_t positions = job->position + row + 1;
  const size_t oldest = job->window == 0 || job->window > positions ? 0 : positions - job->window;
  for (size_t p = oldest / CK_ATTENTION_BLOCK * CK_ATTENTION_BLOCK; p < job->position + last + 1;
       p += CK_ATTENTION_BLOCK) {
    const ck_seen first_sees = ck_seen_by(job, row, p);
    if (ck_sees_all(first_sees) && ck_sees_all(ck_seen_by(job, last, p))) {
      ck_attend_block(job, &a, 0, count, kv_head, first_sees);
      continue;
    }
    for (size_t r = 0; r < rows; r++) {
      const ck_seen seen = ck_seen_by(job, row + r, p);
      if (seen.count > 0) ck_attend_block(job, &a, r * heads, (r + 1) * heads, kv_head, seen);
    }
  }
  for (size_t n = 0; n < count; n++)
    for (size_t i = 0; i < size; i++) a.y[n][i] /= a.total[n];
}

static void ck_attend(const ck_attention_job *job, size_t row, size_t rows, size_t kv_head) {
  const size_t group = job->heads / job->kv_heads;
  for (size_t h = 0; h < group; h += CK_ATTENTION_HEADS) {
    const size_t heads = group - h < CK_ATTENTION_HEADS ? group - h : CK_ATTENTION_HEADS;
    ck_attend_heads(job, row, rows, kv_head, kv_head * group + h, heads);
  }
}

#endif
