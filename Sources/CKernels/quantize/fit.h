#ifndef CKERNELS_FIT_H
#define CKERNELS_FIT_H

#include <math.h>
#include <stdbool.h>

#include "blocks.h"

// The searches of ggml's reference method for scales: each group gets the scale (and minimum) that a small search finds to
// have the least weighted error.

/// Below this, a group counts as all zeros.
static const float group_epsilon = 1e-15f;

/// `value` cut to the range and rounded to nearest, ties to even; NaN becomes `low`.
///
/// Adding 1.5 * 2^23 leaves no bits for a fraction: many times quicker than rintf, which is a call on plain x86-64.
static inline int nearest(float value, int low, int high) {
  const float magic = 12582912.0f;
  float cut = value > (float)low ? value : (float)low;
  cut = cut < (float)high ? cut : (float)high;
  return (int)(cut + magic - magic);
}

/// Finds `scale`, to be returned, and codes 0 to 2 nmax - 1 so that scale * (code - nmax) is close to `x` (n,), with
/// `weights` (n,) of the squared errors; NULL for the squares of the values.
///
/// Tries 19 scales around the one that maps the value of largest magnitude to -nmax, each improved by least squares:
/// for given codes l, scale = sum w x l / sum w l l takes (sum w x l)^2 / sum w l l off the error.
static inline float fit_scale(int n, int nmax, const float *x, const float *weights, uint8_t *codes) {
  float extreme = 0;
  for (int i = 0; i < n; i++) {
    if (fabsf(x[i]) > fabsf(extreme)) extreme = x[i];
  }
  memset(codes, 0, (size_t)n);
  if (fabsf(extreme) < group_epsilon) return 0;
  float scale = 0, best = 0;
  for (int attempt = 0; attempt < 19; attempt++) {
    // The plain scale first, then the tries from -0.9 to 0.9: an equal result later does not replace it.
    int step = attempt == 0 ? 0 : attempt <= 9 ? attempt - 10 : attempt - 9;
    float inverse = -((float)nmax + 0.1f * (float)step) / extreme;
    float sum_xl = 0, sum_ll = 0;
    for (int i = 0; i < n; i++) {
      float l = (float)nearest(inverse * x[i], -nmax, nmax - 1);
      float w = weights ? weights[i] : x[i] * x[i];
      sum_xl += w * x[i] * l;
      sum_ll += w * l * l;
    }
    if (attempt > 0 && !(sum_ll > 0 && sum_xl * sum_xl > best * sum_ll)) continue;
    scale = sum_ll != 0 ? sum_xl / sum_ll : 0;
    best = scale * sum_xl;
    for (int i = 0; i < n; i++) {
      codes[i] = (uint8_t)(nearest(inverse * x[i], -nmax, nmax - 1) + nmax);
    }
  }
  return scale;
}

/// How `fit_scale_and_min` searches.
typedef struct {
  int n;           ///< values in a group
  int nmax;        ///< largest code
  float first;     ///< first try's distance from nmax steps over the range
  float step;      ///< from try to try
  int tries;       ///< tries after the first
  bool absolute;   ///< errors count by magnitude, else by square
} search;

static inline float weighted_error(
    search s, const float *x, const float *weights, const uint8_t *codes, float scale, float min) {
  float error = 0;
  for (int i = 0; i < s.n; i++) {
    float difference = scale * (float)codes[i] + min - x[i];
    error += weights[i] * (s.absolute ? fabsf(difference) : difference * difference);
  }
  return error;
}

static inline void assign_codes(search s, const float *x, float inverse, float min, uint8_t *codes) {
  for (int i = 0; i < s.n; i++) codes[i] = (uint8_t)nearest(inverse * (x[i] - min), 0, s.nmax);
}

/// Weighted least squares for x = scale * code + min with min <= 0; false when the codes are all alike.
static inline bool solve(
    search s, const float *x, const float *weights, const uint8_t *codes, float sum_w, float sum_x,
    float *scale, float *min) {
  float sum_l = 0, sum_ll = 0, sum_xl = 0;
  for (int i = 0; i < s.n; i++) {
    int l = codes[i];
    float w = weights[i];
    sum_l += w * (float)l;
    sum_ll += w * (float)l * (float)l;
    sum_xl += w * (float)l * x[i];
  }
  float determinant = sum_w * sum_ll - sum_l * sum_l;
  if (!(determinant > 0)) return false;
  *scale = (sum_w * sum_xl - sum_x * sum_l) / determinant;
  *min = (sum_ll * sum_x - sum_l * sum_xl) / determinant;
  if (*min > 0) {
    *min = 0;
    *scale = sum_xl / sum_ll;
  }
  return true;
}

/// Finds scale and minimum, and codes 0 to nmax, so that scale * code - minimum is close to `x`; both are >= 0.
static inline float fit_scale_and_min(
    search s, const float *x, const float *weights, uint8_t *codes, float *minimum) {
  float min = x[0], max = x[0], sum_w = weights[0], sum_x = sum_w * x[0];
  for (int i = 1; i < s.n; i++) {
    min = fminf(min, x[i]);
    max = fmaxf(max, x[i]);
    sum_w += weights[i];
    sum_x += weights[i] * x[i];
  }
  min = fminf(min, 0);
  memset(codes, 0, (size_t)s.n);
  *minimum = -min;
  if (!(max > min)) return 0;
  float inverse = (float)s.nmax / (max - min);
  float scale = 1 / inverse;
  assign_codes(s, x, inverse, min, codes);
  float best = weighted_error(s, x, weights, codes, scale, min);
  for (int step = 0; step <= s.tries; step++) {
    uint8_t tried[32];
    float tried_scale, tried_min;
    // As in the reference, a better minimum found on the way moves the range of the later tries.
    inverse = (s.first + s.step * (float)step + (float)s.nmax) / (max - min);
    assign_codes(s, x, inverse, min, tried);
    if (!solve(s, x, weights, tried, sum_w, sum_x, &tried_scale, &tried_min)) continue;
    float error = weighted_error(s, x, weights, tried, tried_scale, tried_min);
    if (error < best) {
      memcpy(codes, tried, (size_t)s.n);
      best = error;
      scale = tried_scale;
      min = tried_min;
    }
  }
  *minimum = -min;
  return scale;
}

static inline float largest(const float *values, int count) {
  float max = 0;
  for (int i = 0; i < count; i++) {
    if (values[i] > max) max = values[i];
  }
  return max;
}

/// Finds `scale`, to be returned, and codes 0 to nmax so that scale * code is close to `x` (n,), which are >= 0, with
/// `weights` (n,) of the squared errors: of scales of groups, where those count by what is in them.
///
/// Tries nine scales around the one that maps the largest value to nmax, then moves single codes as long as that helps.
static inline float fit_positive_scale(int n, int nmax, const float *x, uint8_t *codes, const float *weights) {
  float max = largest(x, n);
  memset(codes, 0, (size_t)n);
  if (max < group_epsilon) return 0;
  float inverse = (float)nmax / max, best = 0;
  for (int attempt = 0; attempt < 9; attempt++) {
    int step = attempt == 0 ? 0 : attempt <= 4 ? attempt - 5 : attempt - 4;
    float tried = step == 0 ? inverse : (0.1f * (float)step + (float)nmax) / max;
    float scale = 1 / tried, error = 0;
    for (int i = 0; i < n; i++) {
      float difference = x[i] - scale * (float)nearest(tried * x[i], 0, nmax);
      error += weights[i] * difference * difference;
    }
    if (attempt == 0 || error < best) best = error, inverse = tried;
  }
  float sum_xl = 0, sum_ll = 0;
  for (int i = 0; i < n; i++) {
    codes[i] = (uint8_t)nearest(inverse * x[i], 0, nmax);
    sum_xl += weights[i] * x[i] * (float)codes[i];
    sum_ll += weights[i] * (float)codes[i] * (float)codes[i];
  }
  for (int round = 0, changed = 1; round < 5 && changed; round++) {
    changed = 0;
    for (int i = 0; i < n; i++) {
      float l = (float)codes[i], w = weights[i];
      float xl = sum_xl - w * x[i] * l, ll = sum_ll - w * l * l;
      if (!(xl > 0 && ll > 0)) continue;
      float moved = (float)nearest(x[i] * ll / xl, 0, nmax);
      if (moved == l) continue;
      xl += w * x[i] * moved;
      ll += w * moved * moved;
      if (xl * xl * sum_ll > sum_xl * sum_xl * ll) {
        codes[i] = (uint8_t)moved;
        sum_xl = xl;
        sum_ll = ll;
        changed = 1;
      }
    }
  }
  return sum_ll > 0 ? sum_xl / sum_ll : 0;
}

#endif
