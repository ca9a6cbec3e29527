#include <math.h>
#include <stdbool.h>

#include "blocks.h"

// ggml's reference method for K-quants: each group gets the scale (and minimum) that a small search finds to have the
// least weighted error, then the groups' scales are quantized against the largest of them.

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

/// Finds `scale`, to be returned, and codes 0 to 2 nmax - 1 so that scale * (code - nmax) is close to `x` (n,), with the
/// squares of the values as weights.
///
/// Tries 19 scales around the one that maps the value of largest magnitude to -nmax, each improved by least squares:
/// for given codes l, scale = sum w x l / sum w l l takes (sum w x l)^2 / sum w l l off the error.
static float fit_scale(int n, int nmax, const float *x, uint8_t *codes) {
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
      float w = x[i] * x[i];
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
  int tries;       ///< tries after the first, 0.1 apart
  bool absolute;   ///< errors count by magnitude, else by square
} search;

static float weighted_error(
    search s, const float *x, const float *weights, const uint8_t *codes, float scale, float min) {
  float error = 0;
  for (int i = 0; i < s.n; i++) {
    float difference = scale * (float)codes[i] + min - x[i];
    error += weights[i] * (s.absolute ? fabsf(difference) : difference * difference);
  }
  return error;
}

static void assign_codes(search s, const float *x, float inverse, float min, uint8_t *codes) {
  for (int i = 0; i < s.n; i++) codes[i] = (uint8_t)nearest(inverse * (x[i] - min), 0, s.nmax);
}

/// Weighted least squares for x = scale * code + min with min <= 0; false when the codes are all alike.
static bool solve(
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
static float fit_scale_and_min(
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
    inverse = (s.first + 0.1f * (float)step + (float)s.nmax) / (max - min);
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

static float largest(const float *values, int count) {
  float max = 0;
  for (int i = 0; i < count; i++) {
    if (values[i] > max) max = values[i];
  }
  return max;
}

/// Quantizes eight scales and minima against the largest of each and packs them as Q4_K and Q5_K have them.
static void pack_scales(const float *scales, const float *mins, uint8_t *bytes) {
  float max_scale = largest(scales, 8), max_min = largest(mins, 8);
  float inverse_scale = max_scale > 0 ? 63 / max_scale : 0;
  float inverse_min = max_min > 0 ? 63 / max_min : 0;
  store_half(bytes, max_scale / 63);
  store_half(bytes + 2, max_min / 63);
  uint8_t *packed = bytes + 4;
  memset(packed, 0, 12);
  for (int group = 0; group < 8; group++) {
    int sc = nearest(inverse_scale * scales[group], 0, 63);
    int m = nearest(inverse_min * mins[group], 0, 63);
    if (group < 4) {
      packed[group] = (uint8_t)sc;
      packed[group + 4] = (uint8_t)m;
    } else {
      packed[group + 4] = (uint8_t)((sc & 15) | (m & 15) << 4);
      packed[group - 4] |= (uint8_t)(sc >> 4 << 6);
      packed[group] |= (uint8_t)(m >> 4 << 6);
    }
  }
}

/// Scales, minima and codes of the 256 values of a block of Q4_K or Q5_K, which both begin with scales packed alike.
static void fit_block(search s, const float *values, uint8_t *bytes, uint8_t *codes) {
  float scales[8], mins[8];
  for (int group = 0; group < 8; group++) {
    const float *x = values + 32 * group;
    float weights[32], squares = 0;
    for (int l = 0; l < 32; l++) squares += x[l] * x[l];
    float typical = sqrtf(squares / 32);
    for (int l = 0; l < 32; l++) weights[l] = typical + fabsf(x[l]);
    scales[group] = fit_scale_and_min(s, x, weights, codes + 32 * group, &mins[group]);
  }
  pack_scales(scales, mins, bytes);
  for (int group = 0; group < 8; group++) {
    uint8_t sc, m;
    unpack_scale(bytes + 4, group, &sc, &m);
    float d = load_half(bytes) * (float)sc, dm = load_half(bytes + 2) * (float)m;
    if (d == 0) continue;
    for (int l = 32 * group; l < 32 * group + 32; l++) {
      codes[l] = (uint8_t)nearest((values[l] + dm) / d, 0, s.nmax);
    }
  }
}

void ck_quantize_q4_k(const float *values, uint8_t *bytes, size_t blocks) {
  const search s = {.n = 32, .nmax = 15, .first = -1, .tries = 20, .absolute = false};
  for (size_t i = 0; i < blocks; i++, bytes += 144, values += 256) {
    uint8_t codes[256];
    fit_block(s, values, bytes, codes);
    for (int l = 0; l < 128; l++) {
      const uint8_t *pair = codes + (l >> 5) * 64 + (l & 31);
      bytes[16 + l] = (uint8_t)(pair[0] | pair[32] << 4);
    }
  }
}

void ck_quantize_q5_k(const float *values, uint8_t *bytes, size_t blocks) {
  const search s = {.n = 32, .nmax = 31, .first = -0.5f, .tries = 15, .absolute = false};
  for (size_t i = 0; i < blocks; i++, bytes += 176, values += 256) {
    uint8_t codes[256];
    fit_block(s, values, bytes, codes);
    memset(bytes + 16, 0, 32);
    for (int n = 0; n < 256; n++) bytes[16 + (n & 31)] |= (uint8_t)(codes[n] >> 4 << (n >> 5));
    for (int l = 0; l < 128; l++) {
      const uint8_t *pair = codes + (l >> 5) * 64 + (l & 31);
      bytes[48 + l] = (uint8_t)((pair[0] & 15) | (pair[32] & 15) << 4);
    }
  }
}

void ck_quantize_q2_k(const float *values, uint8_t *bytes, size_t blocks) {
  const search s = {.n = 16, .nmax = 3, .first = -0.5f, .tries = 15, .absolute = true};
  for (size_t i = 0; i < blocks; i++, bytes += 84, values += 256) {
    uint8_t codes[256];
    float scales[16], mins[16];
    for (int group = 0; group < 16; group++) {
      const float *x = values + 16 * group;
      float weights[16];
      for (int l = 0; l < 16; l++) weights[l] = fabsf(x[l]);
      scales[group] = fit_scale_and_min(s, x, weights, codes + 16 * group, &mins[group]);
    }
    float max_scale = largest(scales, 16), max_min = largest(mins, 16);
    float inverse_scale = max_scale > 0 ? 15 / max_scale : 0;
    float inverse_min = max_min > 0 ? 15 / max_min : 0;
    store_half(bytes + 80, max_scale / 15);
    store_half(bytes + 82, max_min / 15);
    for (int group = 0; group < 16; group++) {
      int sc = nearest(inverse_scale * scales[group], 0, 15);
      int m = nearest(inverse_min * mins[group], 0, 15);
      bytes[group] = (uint8_t)(sc | m << 4);
      float d = load_half(bytes + 80) * (float)sc, dm = load_half(bytes + 82) * (float)m;
      if (d == 0) continue;
      for (int l = 16 * group; l < 16 * group + 16; l++) {
        codes[l] = (uint8_t)nearest((values[l] + dm) / d, 0, 3);
      }
    }
    for (int l = 0; l < 64; l++) {
      const uint8_t *four = codes + (l >> 5) * 128 + (l & 31);
      bytes[16 + l] = (uint8_t)(four[0] | four[32] << 2 | four[64] << 4 | four[96] << 6);
    }
  }
}

void ck_quantize_q6_k(const float *values, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 210, values += 256) {
    uint8_t codes[256];
    float scales[16], extreme = 0;
    for (int group = 0; group < 16; group++) {
      scales[group] = fit_scale(16, 32, values + 16 * group, codes + 16 * group);
      if (fabsf(scales[group]) > fabsf(extreme)) extreme = scales[group];
    }
    memset(bytes, 0, 210);
    if (fabsf(extreme) < group_epsilon) continue;
    float inverse = -128 / extreme;
    store_half(bytes + 208, 1 / inverse);
    for (int group = 0; group < 16; group++) {
      int sc = nearest(inverse * scales[group], -128, 127);
      bytes[192 + group] = (uint8_t)sc;
      float d = load_half(bytes + 208) * (float)sc;
      for (int n = 16 * group; n < 16 * group + 16; n++) {
        int code = d != 0 ? nearest(values[n] / d, -32, 31) + 32 : codes[n];
        int half = n >> 7, quarter = n >> 5 & 3, l = n & 31;
        bytes[64 * half + l + 32 * (quarter & 1)] |= (uint8_t)((code & 15) << (quarter >> 1 << 2));
        bytes[128 + 32 * half + l] |= (uint8_t)(code >> 4 << (2 * quarter));
      }
    }
  }
}
