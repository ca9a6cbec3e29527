#include <math.h>

#include "blocks.h"

// Q2_B: the scale d as a half, then 16 bytes of codes. Bits 2s and 2s + 1 of byte j are the code of value 16 s + j;
// codes 0, 1, 2, 3 stand for -1.5 d, -0.5 d, 0.5 d, 1.5 d.

enum { VALUES = 64, BYTES = 18 };

void ck_dequantize_q2_b(const uint8_t *restrict bytes, float *restrict values, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += BYTES, values += VALUES) {
    const float d = load_half(bytes);
    for (int n = 0; n < VALUES; n++)
      values[n] = d * ((float)(bytes[2 + n % 16] >> n / 16 * 2 & 3) - 1.5f);
  }
}

/// A magnitude and the importance of its column.
typedef struct {
  uint32_t bits;
  float weight;
} magnitude;

/// The magnitudes of `x`, largest first. Their bits sort as they do, and NaN has a place.
static void sort_magnitudes(const float *x, const float *weights, magnitude *sorted) {
  for (int n = 0; n < VALUES; n++) {
    magnitude next = {.weight = weights ? weights[n] : 1};
    memcpy(&next.bits, &x[n], 4);
    next.bits &= 0x7fffffff;
    int at = n;
    for (; at > 0 && sorted[at - 1].bits < next.bits; at--) sorted[at] = sorted[at - 1];
    sorted[at] = next;
  }
}

static double value_of(magnitude m) {
  float value;
  memcpy(&value, &m.bits, 4);
  return (double)value * (double)m.weight;
}

/// The half d >= 0 with the least weighted squared error; of two, the smaller.
///
/// If the m largest magnitudes take 1.5 d and the others 0.5 d, with weighted sum a of magnitudes times levels and weighted
/// sum w of squared levels, the error is w d d - 2 a d away from that of zeros: a parabola, so that the half next to a / w
/// is the best for this m, and the best of all 65 is the best there is. The more take 1.5 d, the smaller is d.
static float best_scale(const float *x, const float *weights) {
  magnitude sorted[VALUES];
  sort_magnitudes(x, weights, sorted);
  double a = 0, w = 0, least = 0;
  for (int n = 0; n < VALUES; n++) a += 1.5 * value_of(sorted[n]), w += 2.25 * (double)sorted[n].weight;
  float best = 0;
  for (int m = VALUES; m >= 0; m--) {
    const float nearest = w > 0 ? ck_half_to_float(ck_float_to_half((float)(a / w))) : 0;
    const float d = nearest < 65504 ? nearest : 65504;
    const double error = w * d * d - 2 * a * d;
    if (error < least) least = error, best = d;
    if (m > 0) a -= value_of(sorted[m - 1]), w -= 2 * (double)sorted[m - 1].weight;
  }
  return best;
}

void ck_quantize_q2_b(
    const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += BYTES, values += VALUES) {
    const float d = best_scale(values, importance ? importance + VALUES * (i % row_blocks) : NULL);
    store_half(bytes, d);
    memset(bytes + 2, 0, BYTES - 2);
    for (int n = 0; n < VALUES; n++) {
      const int outer = fabsf(values[n]) > d;
      const int code = values[n] < 0 ? 1 - outer : 2 + outer;
      bytes[2 + n % 16] |= (uint8_t)(code << n / 16 * 2);
    }
  }
}
