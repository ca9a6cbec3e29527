#include "lowrank_norms.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

ck_half_scan ck_scan_half(const void *values, int64_t count) {
  const uint8_t *bytes = values;
  ck_half_scan scan = {0, -1, 0, -1, 0};
  for (int64_t i = 0; i < count; i++) {
    uint16_t bits;
    memcpy(&bits, bytes + 2 * i, 2);
    bits &= 0x7FFF;
    if (bits < 0x7C00) {
      // Magnitudes of halves are ordered like their bits.
      if (bits > scan.maximum) scan.maximum = bits;
    } else if (bits == 0x7C00) {
      if (scan.infinity_count++ == 0) scan.first_infinity = i;
    } else {
      if (scan.nan_count++ == 0) scan.first_nan = i;
    }
  }
  return scan;
}

int64_t ck_gram_width(int64_t rank) { return (rank + 15) / 16 * 16; }

static float half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t magnitude = half & 0x7FFF;
  // Moving the exponent by 112 makes zero and subnormals come out right without a branch.
  uint32_t shifted = magnitude << 13;
  float value;
  if (magnitude >= 0x7C00) {
    shifted |= 0x7F800000;
    memcpy(&value, &shifted, 4);
  } else {
    memcpy(&value, &shifted, 4);
    value *= 0x1p112f;
  }
  uint32_t bits;
  memcpy(&bits, &value, 4);
  bits |= sign;
  memcpy(&value, &bits, 4);
  return value;
}

static void load_plain(const uint8_t *source, int64_t count, float *target) {
  for (int64_t i = 0; i < count; i++) {
    uint16_t bits;
    memcpy(&bits, source + 2 * i, 2);
    target[i] = half_to_float(bits);
  }
}

/// sums (width, width) = X^T X on and above the diagonal; X is block (rows, width).
static void sums_plain(const float *block, int64_t rows, int64_t width, float *sums) {
  memset(sums, 0, (size_t)(width * width) * sizeof(float));
  for (int64_t row = 0; row < rows; row++) {
    const float *x = block + row * width;
    for (int64_t i = 0; i < width; i++) {
      for (int64_t j = i; j < width; j++) sums[i * width + j] += x[i] * x[j];
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma,f16c"))) static void load_avx2(const uint8_t *source, int64_t count,
                                                               float *target) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i half = _mm_loadu_si128((const __m128i *)(source + 2 * i));
    _mm256_storeu_ps(target + i, _mm256_cvtph_ps(half));
  }
  load_plain(source + 2 * i, count - i, target + i);
}

typedef float f8 __attribute__((vector_size(32), aligned(4), may_alias));

/// As `sums_plain`, in tiles of 4 by 16; tiles that touch the diagonal are written whole.
///
/// Each sum has a name, so that this is quick without an optimizer too.
__attribute__((target("avx2,fma"))) static void sums_avx2(const float *block, int64_t rows,
                                                          int64_t width, float *sums) {
  for (int64_t i = 0; i < width; i += 4) {
    for (int64_t j = i / 16 * 16; j < width; j += 16) {
      f8 low0 = {0}, low1 = {0}, low2 = {0}, low3 = {0};
      f8 high0 = {0}, high1 = {0}, high2 = {0}, high3 = {0};
      const float *end = block + rows * width;
      for (const float *row = block; row < end; row += width) {
        const float *factor = row + i;
        f8 low = *(const f8 *)(row + j), high = *(const f8 *)(row + j + 8);
        low0 += factor[0] * low;
        high0 += factor[0] * high;
        low1 += factor[1] * low;
        high1 += factor[1] * high;
        low2 += factor[2] * low;
        high2 += factor[2] * high;
        low3 += factor[3] * low;
        high3 += factor[3] * high;
      }
      float *target = sums + i * width + j;
      *(f8 *)target = low0, *(f8 *)(target + 8) = high0;
      *(f8 *)(target + width) = low1, *(f8 *)(target + width + 8) = high1;
      *(f8 *)(target + 2 * width) = low2, *(f8 *)(target + 2 * width + 8) = high2;
      *(f8 *)(target + 3 * width) = low3, *(f8 *)(target + 3 * width + 8) = high3;
    }
  }
}

/// Whether the machine runs the AVX2 kernels: all that are stronger on x86-64 include them.
static bool has_avx2(ck_cpu cpu) { return cpu == CK_CPU_AVX2 || cpu == CK_CPU_AVX512VNNI; }
#endif

static void load(ck_cpu cpu, const uint8_t *source, int64_t count, float *target) {
#if defined(__x86_64__)
  if (has_avx2(cpu)) {
    load_avx2(source, count, target);
    return;
  }
#endif
  (void)cpu;
  load_plain(source, count, target);
}

static void sum_products(ck_cpu cpu, const float *block, int64_t rows, int64_t width, float *sums) {
#if defined(__x86_64__)
  if (has_avx2(cpu)) {
    sums_avx2(block, rows, width, sums);
    return;
  }
#endif
  (void)cpu;
  sums_plain(block, rows, width, sums);
}

/// Fills block (rows, width) with the values of `rows` rows from `first` on.
static void load_rows(ck_cpu cpu, const uint8_t *values, int64_t first, int64_t rows,
                      int64_t all_rows, int64_t rank, int64_t width, int transposed, float *block) {
  if (!transposed) {
    for (int64_t row = 0; row < rows; row++)
      load(cpu, values + 2 * (first + row) * rank, rank, block + row * width);
    return;
  }
  float line[CK_GRAM_ROWS];
  for (int64_t i = 0; i < rank; i++) {
    load(cpu, values + 2 * (i * all_rows + first), rows, line);
    for (int64_t row = 0; row < rows; row++) block[row * width + i] = line[row];
  }
}

void ck_half_gram(ck_cpu cpu, const void *values, int64_t rows, int64_t rank, int transposed,
                  float *block, float *sums, double *gram) {
  int64_t width = ck_gram_width(rank);
  memset(block, 0, (size_t)(CK_GRAM_ROWS * width) * sizeof(float));
  for (int64_t first = 0; first < rows; first += CK_GRAM_ROWS) {
    int64_t count = rows - first < CK_GRAM_ROWS ? rows - first : CK_GRAM_ROWS;
    load_rows(cpu, values, first, count, rows, rank, width, transposed, block);
    sum_products(cpu, block, count, width, sums);
    for (int64_t i = 0; i < width; i++) {
      for (int64_t j = i; j < width; j++) gram[i * width + j] += sums[i * width + j];
    }
  }
}
