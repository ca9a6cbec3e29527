#ifndef CKERNELS_LOWRANK_NORMS_H
#define CKERNELS_LOWRANK_NORMS_H

#include <stdint.h>

#include "cpu.h"

/// What one pass over half-precision values finds; positions are -1 where there is none.
typedef struct {
  int64_t nan_count;
  int64_t first_nan;
  int64_t infinity_count;
  int64_t first_infinity;
  uint16_t maximum;  ///< bits of the largest finite magnitude, 0 when all are zero
} ck_half_scan;

/// Scans `count` half-precision values at `values`, which needs no alignment.
ck_half_scan ck_scan_half(const void *values, int64_t count);

/// Rows that `ck_half_gram` works on at a time.
enum { CK_GRAM_ROWS = 128 };

/// `rank` rounded up to what the vector kernels step by.
int64_t ck_gram_width(int64_t rank);

/// Adds X^T X to `gram` `(width, width)`, of which only the blocks on and above the diagonal are valid.
///
/// X `(rows, rank)` is `values` as it stands, or, when `transposed`, `values` read as `(rank, rows)`.
/// `block` holds `CK_GRAM_ROWS * width` floats, `sums` `width * width` floats; neither needs a value.
void ck_half_gram(ck_cpu cpu, const void *values, int64_t rows, int64_t rank, int transposed,
                  float *block, float *sums, double *gram);

#endif
