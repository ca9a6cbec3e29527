#include "fit.h"

// ggml's reference method for K-quants: each group gets the scale (and minimum) that a small search finds to have the
// least weighted error, then the groups' scales are quantized against the largest of them. With an importance of each column
// the searches are finer, and groups' scales count by what is in them.

/// Weights of the errors of a group of `n` values: the importance of their columns, times about their size.
static float weigh(int n, const float *x, const float *importance, float typical_square, float *weights) {
  float sum = 0;
  for (int l = 0; l < n; l++) {
    weights[l] = importance[l] * sqrtf(typical_square + x[l] * x[l]);
    sum += weights[l];
  }
  return sum;
}

static float sum_of_squares(int n, const float *x) {
  float sum = 0;
  for (int l = 0; l < n; l++) sum += x[l] * x[l];
  return sum;
}

/// Codes 0 to `most` of scales and minima, and what they are of each, as Q4_K, Q5_K and Q2_K begin with.
typedef struct {
  float scale, min;
  uint8_t scales[16], mins[16];
} group_scales;

/// Quantizes `n` scales and minima against the largest of each, or by `weights` (n,) if there are some.
static group_scales fit_groups(int n, int most, const float *scales, const float *mins, const float *weights) {
  group_scales result;
  if (weights) {
    result.scale = fit_positive_scale(n, most, scales, result.scales, weights);
    result.min = fit_positive_scale(n, most, mins, result.mins, weights);
    return result;
  }
  float max_scale = largest(scales, n), max_min = largest(mins, n);
  float inverse_scale = max_scale > 0 ? (float)most / max_scale : 0;
  float inverse_min = max_min > 0 ? (float)most / max_min : 0;
  result.scale = max_scale / (float)most;
  result.min = max_min / (float)most;
  for (int group = 0; group < n; group++) {
    result.scales[group] = (uint8_t)nearest(inverse_scale * scales[group], 0, most);
    result.mins[group] = (uint8_t)nearest(inverse_min * mins[group], 0, most);
  }
  return result;
}

/// Packs eight scales and minima of 6 bits as Q4_K and Q5_K have them.
static void pack_scales(const group_scales *groups, uint8_t *bytes) {
  store_half(bytes, groups->scale);
  store_half(bytes + 2, groups->min);
  uint8_t *packed = bytes + 4;
  memset(packed, 0, 12);
  for (int group = 0; group < 8; group++) {
    int sc = groups->scales[group], m = groups->mins[group];
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

/// The finer search where columns have an importance.
static search finer(search s) {
  return (search){.n = s.n, .nmax = s.nmax, .first = -0.9f, .step = 0.05f, .tries = 36, .absolute = false};
}

/// Scales, minima and codes of the 256 values of a block of Q4_K or Q5_K, which both begin with scales packed alike.
static void fit_block(search s, const float *values, const float *importance, uint8_t *bytes, uint8_t *codes) {
  float scales[8], mins[8], sums[8];
  float typical_square = importance ? 2 * sum_of_squares(256, values) / 256 : 0;
  if (importance) s = finer(s);
  for (int group = 0; group < 8; group++) {
    const float *x = values + 32 * group;
    float weights[32];
    if (importance) {
      sums[group] = weigh(32, x, importance + 32 * group, typical_square, weights);
    } else {
      float typical = sqrtf(sum_of_squares(32, x) / 32);
      for (int l = 0; l < 32; l++) weights[l] = typical + fabsf(x[l]);
    }
    scales[group] = fit_scale_and_min(s, x, weights, codes + 32 * group, &mins[group]);
  }
  group_scales groups = fit_groups(8, 63, scales, mins, importance ? sums : NULL);
  pack_scales(&groups, bytes);
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

/// What of an importance of columns belongs to block `i` of a row.
static const float *of_block(const float *importance, size_t i, size_t row_blocks) {
  return importance ? importance + 256 * (i % row_blocks) : NULL;
}

void ck_quantize_q4_k(
    const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks) {
  const search s = {.n = 32, .nmax = 15, .first = -1, .step = 0.1f, .tries = 20, .absolute = false};
  for (size_t i = 0; i < blocks; i++, bytes += 144, values += 256) {
    uint8_t codes[256];
    fit_block(s, values, of_block(importance, i, row_blocks), bytes, codes);
    for (int l = 0; l < 128; l++) {
      const uint8_t *pair = codes + (l >> 5) * 64 + (l & 31);
      bytes[16 + l] = (uint8_t)(pair[0] | pair[32] << 4);
    }
  }
}

void ck_quantize_q5_k(
    const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks) {
  const search s = {.n = 32, .nmax = 31, .first = -0.5f, .step = 0.1f, .tries = 15, .absolute = false};
  for (size_t i = 0; i < blocks; i++, bytes += 176, values += 256) {
    uint8_t codes[256];
    fit_block(s, values, of_block(importance, i, row_blocks), bytes, codes);
    memset(bytes + 16, 0, 32);
    for (int n = 0; n < 256; n++) bytes[16 + (n & 31)] |= (uint8_t)(codes[n] >> 4 << (n >> 5));
    for (int l = 0; l < 128; l++) {
      const uint8_t *pair = codes + (l >> 5) * 64 + (l & 31);
      bytes[48 + l] = (uint8_t)((pair[0] & 15) | (pair[32] & 15) << 4);
    }
  }
}

/// Scales, minima and codes of the 256 values of a block of Q2_K.
static void fit_block_q2_k(const float *values, const float *importance, uint8_t *bytes, uint8_t *codes) {
  search s = {.n = 16, .nmax = 3, .first = -0.5f, .step = 0.1f, .tries = 15, .absolute = true};
  float scales[16], mins[16], sums[16];
  float typical_square = importance ? sum_of_squares(256, values) / 256 : 0;
  if (importance) s = finer(s);
  for (int group = 0; group < 16; group++) {
    const float *x = values + 16 * group;
    float weights[16];
    if (importance) {
      sums[group] = weigh(16, x, importance + 16 * group, typical_square, weights);
    } else {
      for (int l = 0; l < 16; l++) weights[l] = fabsf(x[l]);
    }
    scales[group] = fit_scale_and_min(s, x, weights, codes + 16 * group, &mins[group]);
  }
  group_scales groups = fit_groups(16, 15, scales, mins, importance ? sums : NULL);
  store_half(bytes + 80, groups.scale);
  store_half(bytes + 82, groups.min);
  for (int group = 0; group < 16; group++) {
    int sc = groups.scales[group], m = groups.mins[group];
    bytes[group] = (uint8_t)(sc | m << 4);
    float d = load_half(bytes + 80) * (float)sc, dm = load_half(bytes + 82) * (float)m;
    if (d == 0) continue;
    for (int l = 16 * group; l < 16 * group + 16; l++) {
      codes[l] = (uint8_t)nearest((values[l] + dm) / d, 0, 3);
    }
  }
}

void ck_quantize_q2_k(
    const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 84, values += 256) {
    uint8_t codes[256];
    fit_block_q2_k(values, of_block(importance, i, row_blocks), bytes, codes);
    for (int l = 0; l < 64; l++) {
      const uint8_t *four = codes + (l >> 5) * 128 + (l & 31);
      bytes[16 + l] = (uint8_t)(four[0] | four[32] << 2 | four[64] << 4 | four[96] << 6);
    }
  }
}

void ck_quantize_q6_k(
    const float *values, const float *importance, size_t row_blocks, uint8_t *bytes, size_t blocks) {
  for (size_t i = 0; i < blocks; i++, bytes += 210, values += 256) {
    const float *weights = of_block(importance, i, row_blocks);
    uint8_t codes[256];
    float scales[16], extreme = 0;
    for (int group = 0; group < 16; group++) {
      scales[group] = fit_scale(
          16, 32, values + 16 * group, weights ? weights + 16 * group : NULL, codes + 16 * group);
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
