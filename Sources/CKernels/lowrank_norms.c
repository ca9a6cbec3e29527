#include "lowrank_norms.h"

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

/// As `sums_plain`, in tiles of 4 by 16; tiles that touch the diagonal are written whole.
__attribute__((target("avx2,fma"))) static void sums_avx2(const float *block, int64_t rows,
                                                          int64_t width, float *sums) {
  for (int64_t i = 0; i < width; i += 4) {
    for (int64_t j = i / 16 * 16; j < width; j += 16) {
      __m256 sum[4][2];
      for (int k = 0; k < 4; k++) sum[k][0] = sum[k][1] = _mm256_setzero_ps();
      for (int64_t row = 0; row < rows; row++) {
        const float *x = block + row * width;
        __m256 low = _mm256_loadu_ps(x + j);
        __m256 high = _mm256_loadu_ps(x + j + 8);
        for (int k = 0; k < 4; k++) {
          __m256 factor = _mm256_broadcast_ss(x + i + k);
          sum[k][0] = _mm256_fmadd_ps(factor, low, sum[k][0]);
          sum[k][1] = _mm256_fmadd_ps(factor, high, sum[k][1]);
        }
      }
      for (int k = 0; k < 4; k++) {
        _mm256_storeu_ps(sums + (i + k) * width + j, sum[k][0]);
        _mm256_storeu_ps(sums + (i + k) * width + j + 8, sum[k][1]);
      }
    }
  }
}
#endif

static void load(ck_cpu cpu, const uint8_t *source, int64_t count, float *target) {
#if defined(__x86_64__)
  if (cpu == CK_CPU_AVX2) {
    load_avx2(source, count, target);
    return;
  }
#endif
  (void)cpu;
  load_plain(source, count, target);
}

static void sum_products(ck_cpu cpu, const float *block, int64_t rows, int64_t width, float *sums) {
#if defined(__x86_64__)
  if (cpu == CK_CPU_AVX2) {
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
