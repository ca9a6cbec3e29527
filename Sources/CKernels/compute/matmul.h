// Products of floats, for the instruction set that the including file has chosen.
//
// A panel, as many columns of b as two vectors have lanes, is copied so that its rows lie one behind the other; then a
// few rows of a at a time go through it, and their sums stay in registers. See Goto and van de Geijn 2008.
#ifndef CKERNELS_MATMUL_TEXT_H
#define CKERNELS_MATMUL_TEXT_H

#include "variant.h"
#include "vector.h"

#ifndef CK_SUM_ROWS
#define CK_SUM_ROWS 4
#endif

enum { CK_MATMUL_COLUMNS = 2 * CK_LANES, CK_DEPTH = 512 };

/// Eight rows of eight values, `stride` apart, as columns of a panel.
CK_INLINE void ck_turn8(const float *rows, size_t stride, float *panel) {
  f8 r[8], columns[8];
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i++) CK_LOAD8(r[i], rows + i * stride);
  ck_turn8x8(r, columns);
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i++) CK_STORE8(panel + i * CK_MATMUL_COLUMNS, columns[i]);
}

/// Rows `first` to `end` of b's columns from `column` on; columns beyond the last are zero.
static void ck_pack(const ck_matmul_job *job, size_t first, size_t end, size_t column, size_t width, float *panel) {
  const float *from = job->b.at + first * job->b.row + column * job->b.column;
  const size_t depth = end - first;
  if (width < CK_MATMUL_COLUMNS) memset(panel, 0, depth * CK_MATMUL_COLUMNS * sizeof *panel);
  if (job->b.column == 1) {
    for (size_t p = 0; p < depth; p++, from += job->b.row, panel += CK_MATMUL_COLUMNS) {
      size_t c = 0;
      for (; c + 8 <= width; c += 8) {
        f8 v;
        CK_LOAD8(v, from + c);
        CK_STORE8(panel + c, v);
      }
      for (; c < width; c++) panel[c] = from[c];
    }
    return;
  }
  size_t p = 0;
  for (; p + 8 <= depth; p += 8) {
    size_t c = 0;
    for (; job->b.row == 1 && c + 8 <= width; c += 8)
      ck_turn8(from + p + c * job->b.column, job->b.column, panel + p * CK_MATMUL_COLUMNS + c);
    for (; c < width; c++)
      for (size_t q = p; q < p + 8; q++)
        panel[q * CK_MATMUL_COLUMNS + c] = from[q * job->b.row + c * job->b.column];
  }
  for (; p < depth; p++)
    for (size_t c = 0; c < width; c++)
      panel[p * CK_MATMUL_COLUMNS + c] = from[p * job->b.row + c * job->b.column];
}

/// Sums of `R` rows of a and `V` vectors of columns, put into c or added to it.
CK_INLINE void ck_store_rows(const ck_matmul_job *job, const int R, const int V, ck_lanes sums[8][2], float *c,
                             size_t width, bool adds) {
  for (int r = 0; r < R; r++, c += job->c_stride) {
    for (int v = 0; v < V; v++) {
      const size_t from = (size_t)v * CK_LANES;
      ck_lanes old = {0};
      if (width - from >= CK_LANES) {
        if (adds) memcpy(&old, c + from, sizeof old);
        old += job->factor * sums[r][v];
        memcpy(c + from, &old, sizeof old);
        continue;
      }
      if (adds) memcpy(&old, c + from, (width - from) * sizeof *c);
      old += job->factor * sums[r][v];
      memcpy(c + from, &old, (width - from) * sizeof *c);
    }
  }
}

/// `R` rows of a by `V` vectors of a panel, put into c or added to it.
CK_INLINE void ck_sum_rows(const ck_matmul_job *job, const int R, const int V, const float *a, const float *panel,
                           size_t depth, float *c, size_t width, bool adds) {
  ck_lanes sums[8][2] = {{{0}}};
  for (size_t p = 0; p < depth; p++) {
    ck_lanes b[2];
#pragma clang loop unroll(full)
    for (int v = 0; v < V; v++) memcpy(&b[v], panel + p * CK_MATMUL_COLUMNS + v * CK_LANES, sizeof b[v]);
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
      // Behind a minus, as 0 + x would have to be calculated: it is not x where x is -0.
      const ck_lanes value = a[r * job->a.row + p * job->a.column] - (ck_lanes){0};
#pragma clang loop unroll(full)
      for (int v = 0; v < V; v++) sums[r][v] += value * b[v];
    }
  }
  ck_store_rows(job, R, V, sums, c, width, adds);
}

CK_INLINE void ck_sum_panel(const ck_matmul_job *job, const int V, size_t first, size_t end, const float *a,
                            const float *panel, size_t depth, float *c, size_t width, bool adds) {
  size_t row = first;
#define CK_SUM_MANY(R)                                                                                        \
  for (; end - row >= R; row += R)                                                                        \
    ck_sum_rows(job, R, V, a + row * job->a.row, panel, depth, c + row * job->c_stride, width, adds)
  CK_SUM_MANY(CK_SUM_ROWS);
#if CK_SUM_ROWS > 4
  CK_SUM_MANY(4);
#endif
  CK_SUM_MANY(2);
  CK_SUM_MANY(1);
#undef CK_SUM_MANY
}

/// Rows `first` to `end` of c, in the columns of the panel `number`.
static void ck_multiply(const ck_matmul_job *job, size_t first, size_t end, size_t number) {
  const size_t column = number * CK_MATMUL_COLUMNS, left = job->columns - column;
  const size_t width = left < CK_MATMUL_COLUMNS ? left : CK_MATMUL_COLUMNS;
  float panel[CK_DEPTH * CK_MATMUL_COLUMNS] __attribute__((aligned(64)));
  for (size_t p = 0; p < job->depth; p += CK_DEPTH) {
    const size_t stop = job->depth - p < CK_DEPTH ? job->depth : p + CK_DEPTH;
    const float *a = job->a.at + p * job->a.column;
    const bool adds = job->accumulate || p > 0;
    ck_pack(job, p, stop, column, width, panel);
    if (width > CK_LANES) {
      ck_sum_panel(job, 2, first, end, a, panel, stop - p, job->c + column, width, adds);
    } else {
      ck_sum_panel(job, 1, first, end, a, panel, stop - p, job->c + column, width, adds);
    }
  }
}

#endif
