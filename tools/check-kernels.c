// Compares all kernels that the CPU that runs this has with the portable ones, and AVX-512's bit by bit with AVX2's.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "CKernels.h"

#if defined(__x86_64__)
#include <sys/io.h>
#endif

// More weight rows than tiles have, and more activation rows than one pass serves; neither comes out even.
enum { ROWS = 37, BATCH = 11 };

typedef enum { RANDOM, EXTREMES, DENORMALS, ZEROS, DAMAGED, KINDS } kind;

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static float random_float(void) { return (float)((int)(next_random() % 2001) - 1000) * 1e-3f; }

static float value(kind k) {
  const uint32_t denormal = next_random() & 0x807fffff;
  float result;
  switch (k) {
    case EXTREMES: return next_random() & 1 ? 3e4f : -3e4f;
    case DENORMALS: return memcpy(&result, &denormal, 4), result;
    case ZEROS: return next_random() & 1 ? 0.0f : -0.0f;
    case DAMAGED: return next_random() % 64 ? random_float() : next_random() & 1 ? NAN : INFINITY;
    default: return random_float();
  }
}

static float *floats(size_t count, kind k) {
  float *values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = value(k);
  return values;
}

/// A type, the bytes and values of its blocks, and where a block has halves (-1: nowhere).
typedef struct {
  uint32_t type;
  size_t bytes, values;
  int halves[2];
} format;

static const format formats[] = {
    {CK_F32, 4, 1, {-1, -1}},     {CK_F16, 2, 1, {0, -1}},       {CK_BF16, 2, 1, {-1, -1}},
    {CK_Q4_0, 18, 32, {0, -1}},   {CK_Q4_1, 20, 32, {0, 2}},     {CK_Q5_0, 22, 32, {0, -1}},
    {CK_Q5_1, 24, 32, {0, 2}},    {CK_Q8_0, 34, 32, {0, -1}},    {CK_Q2_K, 84, 256, {80, 82}},
    {CK_Q3_K, 110, 256, {108, -1}}, {CK_Q4_K, 144, 256, {0, 2}}, {CK_Q5_K, 176, 256, {0, 2}},
    {CK_Q6_K, 210, 256, {208, -1}}, {CK_Q2_B, 18, 64, {0, -1}},
    {CK_Q2_0, 18, 64, {0, -1}},   {CK_TQ2_0, 66, 256, {64, -1}}, {CK_MXFP4, 17, 32, {-1, -1}},
    {CK_IQ4_NL, 18, 32, {0, -1}}, {CK_IQ4_XS, 136, 256, {0, -1}}, {CK_IQ2_XXS, 66, 256, {0, -1}},
    {CK_IQ2_XS, 74, 256, {0, -1}}, {CK_IQ2_S, 82, 256, {0, -1}}, {CK_IQ3_XXS, 98, 256, {0, -1}},
    {CK_IQ3_S, 110, 256, {0, -1}},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/// Random codes, or the extreme ones; scales are halves of ordinary size, or as `k` asks.
static void fill_block(const format *f, uint8_t *block, kind k) {
  static const uint8_t extremes[] = {0, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < f->bytes; i++)
    block[i] = k == EXTREMES ? extremes[next_random() % 4] : (uint8_t)next_random();
  for (int h = 0; h < 2 && f->halves[h] >= 0; h++) {
    uint16_t half = ck_float_to_half(random_float() * 0.01f);
    if (k == DENORMALS) half = next_random() & 0x83ff;
    if (k == ZEROS) half = next_random() & 0x8000;
    memcpy(block + f->halves[h], &half, 2);
  }
  if (f->type == CK_MXFP4) block[0] = k == ZEROS ? 0 : k == DENORMALS ? next_random() % 3 : 115 + next_random() % 8;
  const float ordinary = random_float();
  if (f->type == CK_F32) memcpy(block, &ordinary, 4);
  if (f->type == CK_BF16) memcpy(block, (const uint8_t *)&ordinary + 2, 2);
}

static int compared, different;

/// Counts values that differ by more than `tolerance` of the largest one; NaN equals NaN, and 0 asks for the same bits.
static void compare(const char *what, ck_cpu cpu, const float *a, const float *b, size_t count, float tolerance) {
  float top = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(a[i])) top = fmaxf(top, fabsf(a[i]));
  int wrong = 0;
  for (size_t i = 0; i < count; i++) {
    const int same = memcmp(&a[i], &b[i], 4) == 0 || (isnan(a[i]) && isnan(b[i]));
    wrong += !same && !(fabsf(a[i] - b[i]) <= tolerance * top);
  }
  if (wrong) printf("%s: %d of %d values differ on CPU %d\n", what, wrong, (int)count, (int)cpu);
  compared++, different += wrong != 0;
}

/// The product of `batch` rows, y[BATCH][ROWS].
static void product(ck_cpu cpu, const format *f, ck_layout layout, size_t columns, const uint8_t *rows, const float *x,
                    size_t batch, float *y) {
  const size_t row_bytes = columns / f->values * f->bytes;
  const ck_form form = ck_form_of(f->type);
  const size_t x_bytes = ck_row_bytes(form, columns);
  uint8_t *forms = aligned_alloc(64, (BATCH * x_bytes + 63) / 64 * 64);
  uint8_t *tiles = NULL;
  const ck_quantize_job quantize = {cpu, columns, x, columns, forms};
  for (size_t n = 0; n < batch && form != CK_FLOATS; n++) ck_quantize_chunk(&quantize, n);
  if (form == CK_FLOATS) memcpy(forms, x, batch * x_bytes);
  if (layout == CK_IN_TILES) {
    const size_t tile_rows = ck_tile_rows(cpu, f->type), count = (ROWS + tile_rows - 1) / tile_rows;
    tiles = malloc(count * tile_rows * row_bytes);
    const ck_tiling_job tiling = {
        .type = f->type, .rows = ROWS, .weights = rows, .row_bytes = row_bytes, .tile_rows = tile_rows, .tiles = tiles};
    for (size_t t = 0; t < count; t++) ck_tiling_chunk(&tiling, t);
  }
  ck_product p = {f->type, ROWS, columns, tiles ? tiles : rows, row_bytes, layout, forms, x_bytes};
  p.y = y, p.y_stride = ROWS, p.end_row = SIZE_MAX;
  const ck_product_job job = {cpu, &p, 1, batch, 32};
  for (size_t chunk = 0; chunk < ck_product_chunks(&job); chunk++) ck_product_chunk(&job, chunk);
  free(forms), free(tiles);
}

static void check_products(ck_cpu cpu, ck_cpu reference, bool exact) {
  static float expected[BATCH * ROWS], all[BATCH * ROWS], some[BATCH * ROWS];
  for (int i = 0; i < FORMATS; i++) {
    const format *f = &formats[i];
    for (ck_layout layout = CK_IN_ROWS; layout <= (ck_has_tiles(f->type) ? CK_TO_TILES : CK_IN_ROWS); layout++) {
      for (kind k = RANDOM; k < KINDS; k++) {
        const size_t blocks = f->values == 1 ? 77 : f->values < 256 ? 9 : 3, columns = blocks * f->values;
        uint8_t *rows = malloc(ROWS * blocks * f->bytes);
        for (size_t b = 0; b < ROWS * blocks; b++) fill_block(f, rows + b * f->bytes, k);
        float *x = floats(BATCH * columns, k);
        char what[40];
        snprintf(what, sizeof what, "type %d, layout %d, kind %d", (int)f->type, (int)layout, (int)k);
        // AVX2 has the order of sums that AVX-512 has in tiles and in rows; the portable kernels have rows.
        product(reference, f, exact ? layout : CK_IN_ROWS, columns, rows, x, BATCH, expected);
        product(cpu, f, layout, columns, rows, x, BATCH, all);
        compare(what, cpu, expected, all, BATCH * ROWS, exact ? 0 : 4e-6f);
        for (size_t batch = 1; batch < BATCH; batch++) {
          product(cpu, f, layout, columns, rows, x, batch, some);
          compare(what, cpu, all, some, batch * ROWS, 0);
        }
        free(rows), free(x);
      }
    }
  }
}

static void check_rounding(ck_cpu cpu, ck_cpu reference) {
  enum { COLUMNS = 32 * 13 };
  static float a[COLUMNS * 2], b[COLUMNS * 2];
  for (kind k = RANDOM; k < KINDS; k++) {
    float *x = floats(COLUMNS, k);
    memset(a, 0, sizeof a), memset(b, 0, sizeof b);
    const ck_quantize_job expected = {reference, COLUMNS, x, COLUMNS, (uint8_t *)a};
    const ck_quantize_job job = {cpu, COLUMNS, x, COLUMNS, (uint8_t *)b};
    ck_quantize_chunk(&expected, 0), ck_quantize_chunk(&job, 0);
    compare("rounding", cpu, a, b, ck_row_bytes(CK_BLOCKS, COLUMNS) / 4, 0);
    free(x);
  }
}

static void check_norm_and_gate(ck_cpu cpu, ck_cpu reference, float tolerance) {
  for (kind k = RANDOM; k < KINDS; k++) {
    for (size_t columns = 1; columns <= 100; columns += 9) {
      float *x = floats(columns, k), *weight = floats(columns, RANDOM), a[100], b[100];
      const ck_norm_job norm = {reference, columns, x, columns, weight, 1e-5f, a, columns};
      ck_norm_job other = norm;
      other.cpu = cpu, other.y = b;
      ck_norm_chunk(&norm, 0), ck_norm_chunk(&other, 0);
      compare("norm", cpu, a, b, columns, tolerance);
      for (ck_activation activation = CK_SILU; activation <= CK_GELU; activation++) {
        memcpy(a, x, columns * 4), memcpy(b, x, columns * 4);
        const ck_gate_job gate = {reference, columns, a, weight, columns, activation};
        ck_gate_job next = gate;
        next.cpu = cpu, next.gate = b;
        ck_gate_chunk(&gate, 0), ck_gate_chunk(&next, 0);
        compare(activation == CK_GELU ? "gelu" : "silu", cpu, a, b, columns, tolerance);
      }
      for (int cap = 0; cap < 2; cap++) {
        memcpy(a, x, columns * 4), memcpy(b, x, columns * 4);
        const ck_scale_job scale = {reference, columns, a, columns, 1.7f, cap * 0.6f};
        ck_scale_job next = scale;
        next.cpu = cpu, next.x = b;
        ck_scale_chunk(&scale, 0), ck_scale_chunk(&next, 0);
        compare(cap ? "cap" : "scale", cpu, a, b, columns, tolerance);
      }
      free(x), free(weight);
    }
  }
}

/// What heads and attention work on: 2 heads of keys that 14 heads of queries share.
enum { HEADS = 14, KV_HEADS = 2, HEAD = 64, POSITIONS = 77, PAGES = (POSITIONS + CK_CACHE_PAGE - 1) / CK_CACHE_PAGE };

/// Normalizes, rotates and stores rows of heads, (POSITIONS, KV_HEADS * size).
static void store(ck_cpu cpu, ck_cache_format format, bool columns, size_t size, const float *rows, void *const *pages,
                  size_t offset) {
  float x[POSITIONS * KV_HEADS * HEAD], cosine[POSITIONS * 8], sine[POSITIONS * 8], frequency[8], norm[HEAD];
  memcpy(x, rows, sizeof x);
  for (int i = 0; i < 8; i++) frequency[i] = 1.0f / (float)(1 << i);
  for (int i = 0; i < HEAD; i++) norm[i] = 1.0f + (float)i * 0.01f;
  const ck_rotation_job rotation = {8, frequency, 0, cosine, sine, 1.1f};
  for (size_t row = 0; row < POSITIONS; row++) ck_rotation_chunk(&rotation, row);
  const ck_head_job head = {
      .cpu = cpu, .batch = POSITIONS, .heads = KV_HEADS, .head_size = size, .x = x, .x_stride = KV_HEADS * size,
      .norm = norm, .epsilon = 1e-5f, .norm_first = true, .rotated = 16, .cosine = cosine, .sine = sine,
      .pages = pages, .offset = offset, .columns = columns, .cache_format = format};
  for (size_t chunk = 0; chunk < ck_head_chunks(&head); chunk++) ck_head_chunk(&head, chunk);
}

/// Limits of what a row sees: a window and a cap, or 0.
typedef struct {
  size_t window;
  float cap;
} limits;

/// Stores POSITIONS rows of keys and values, then looks at them from the last BATCH; y[BATCH][HEADS * size].
static void attend(ck_cpu cpu, ck_cache_format format, size_t size, limits l, size_t together, const float *rows,
                   const float *q, float *y) {
  const size_t row = ck_cache_row_bytes(format, size), values = CK_ATTENTION_BLOCK * row;
  void *pages[PAGES];
  for (int page = 0; page < PAGES; page++) pages[page] = calloc(KV_HEADS * CK_CACHE_PAGE, 2 * row);
  store(cpu, format, true, size, rows, pages, 0), store(cpu, format, false, size, rows, pages, values);
  const ck_attention_job job = {cpu, HEADS, KV_HEADS, size, q, HEADS * size, pages, 0, values, format,
                                POSITIONS - BATCH, 0.15f, y, HEADS * size, l.window, l.cap, BATCH, together};
  const size_t chunks = (BATCH + together - 1) / together * KV_HEADS;
  for (size_t chunk = 0; chunk < chunks; chunk++) ck_attention_chunk(&job, chunk);
  for (int page = 0; page < PAGES; page++) free(pages[page]);
}

static void check_attention(ck_cpu cpu, ck_cpu reference, bool exact) {
  static float a[BATCH * HEADS * HEAD], b[BATCH * HEADS * HEAD], c[BATCH * HEADS * HEAD];
  static const limits all[] = {{0, 0}, {11, 0}, {0, 0.7f}, {11, 0.7f}};
  for (kind k = RANDOM; k < KINDS; k++) {
    for (ck_cache_format format = CK_CACHE_F32; format <= CK_CACHE_Q8; format++) {
      float *rows = floats(POSITIONS * KV_HEADS * HEAD, k), *q = floats(BATCH * HEADS * HEAD, RANDOM);
      for (int i = 0; i < 8; i++) {
        const limits l = all[i / 2];
        const size_t size = i % 2 ? 44 : 64, count = BATCH * HEADS * size;  // whole vectors, and not
        attend(reference, format, size, l, 1, rows, q, a), attend(cpu, format, size, l, 1, rows, q, b);
        // A key that rounds the other way moves a value by a step of its format.
        compare("attention", cpu, a, b, count, exact ? 0 : format == CK_CACHE_F32 ? 4e-6f : 1e-2f);
        attend(cpu, format, size, l, 6, rows, q, c);
        compare("attention of rows together", cpu, b, c, count, 0);
      }
      free(rows), free(q);
    }
  }
}

static void check(const char *name, ck_cpu cpu, ck_cpu reference, bool exact) {
  compared = different = 0;
  check_products(cpu, reference, exact);
  check_rounding(cpu, reference);
  check_norm_and_gate(cpu, reference, exact ? 0 : 4e-6f);
  check_attention(cpu, reference, exact);
  printf("%s: %d comparisons, %d differences\n", name, compared, different);
}

/// The first process of an emulated machine ends it: Bochs stops at this word on this port.
static void power_off(void) {
#if defined(__x86_64__)
  if (getpid() != 1) return;
  fflush(stdout);
  tcdrain(1);
  if (ioperm(0x8900, 1, 1) != 0) return;
  for (const char *c = "Shutdown"; *c; c++) outb(*c, 0x8900);
#endif
}

int main(void) {
  int wrong = 0, checked = 0;
  static const char *const names[] = {"plain", "avx2", "neon", "avx512vnni"};
  for (ck_cpu cpu = CK_CPU_AVX2; cpu <= CK_CPU_AVX512VNNI; cpu++) {
    if (!ck_cpu_runs(cpu)) continue;
    check(names[cpu], cpu, CK_CPU_PLAIN, false);
    wrong += different, checked++;
  }
  if (ck_cpu_runs(CK_CPU_AVX512VNNI)) {
    check("avx512vnni as avx2", CK_CPU_AVX512VNNI, CK_CPU_AVX2, true);
    wrong += different;
  }
  if (!checked) puts("no kernels for this CPU");
  power_off();
  return checked ? wrong != 0 : 2;
}
