// Compares the kernels for tiles of weights with the portable ones, on the CPU that runs this.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../Sources/CKernels/compute/tiled.h"
#include "../Sources/CKernels/include/quantize.h"

enum { ROWS = 24, BATCH = CK_TILE, Y_STRIDE = 64 };

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static float random_float(void) { return (float)((int)(next_random() % 2001) - 1000) * 1e-3f; }

static void put_half(uint8_t *at) {
  const uint16_t half = ck_float_to_half(random_float() * 0.01f);
  memcpy(at, &half, 2);
}

/// Random codes, or the extreme ones; scales are halves of ordinary size.
static void fill_block(uint32_t type, uint8_t *block, size_t bytes, int extreme) {
  static const uint8_t extremes[] = {0, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < bytes; i++)
    block[i] = extreme ? extremes[next_random() % 4] : (uint8_t)next_random();
  if (type == CK_Q6_K) put_half(block + 208);
  if (type == CK_Q2_K) put_half(block + 80), put_half(block + 82);
  if (type == CK_Q4_K) put_half(block + 2);
  if (type != CK_Q6_K && type != CK_Q2_K) put_half(block);
}

static int check(const ck_variant *fast, uint32_t type, size_t blocks, int extreme) {
  ck_part parts[CK_PARTS];
  const size_t bytes = ck_tile_parts(type, parts), columns = blocks * (bytes < 40 ? 32 : 256);
  const size_t row_bytes = blocks * bytes, x_bytes = ck_row_bytes(ck_form_of(type), columns);
  uint8_t *rows = malloc(ROWS * row_bytes), *tiles = malloc(ROWS * row_bytes);
  uint8_t *x = aligned_alloc(64, (BATCH * x_bytes + 63) / 64 * 64);
  float *values = malloc(columns * 4);
  for (size_t b = 0; b < ROWS * blocks; b++) fill_block(type, rows + b * bytes, bytes, extreme);
  const ck_tiling_job job = {type, ROWS, rows, row_bytes, tiles};
  for (size_t t = 0; t < ROWS / CK_TILE_ROWS; t++) ck_tiling_chunk(&job, t);
  for (size_t n = 0; n < BATCH; n++) {
    for (size_t i = 0; i < columns; i++)
      values[i] = extreme ? (next_random() & 1 ? 3e4f : -3e4f) : random_float();
    fast->quantize(values, columns, x + n * x_bytes);
  }
  static float expected[BATCH][Y_STRIDE], all[BATCH][Y_STRIDE], some[BATCH][Y_STRIDE];
  ck_plain.tile[type](columns, rows, row_bytes, ROWS, x, x_bytes, BATCH, expected[0], Y_STRIDE);
  fast->tiled[type](columns, tiles, row_bytes, ROWS, x, x_bytes, BATCH, all[0], Y_STRIDE);
  int wrong = 0;
  float top = 0;
  for (int n = 0; n < BATCH; n++)
    for (int r = 0; r < ROWS; r++) top = fmaxf(top, fabsf(expected[n][r]));
  for (int n = 0; n < BATCH; n++)
    for (int r = 0; r < ROWS; r++) wrong += !(fabsf(expected[n][r] - all[n][r]) <= 2e-6f * top);
  for (size_t batch = 1; batch <= BATCH; batch++) {
    fast->tiled[type](columns, tiles, row_bytes, ROWS, x, x_bytes, batch, some[0], Y_STRIDE);
    for (size_t n = 0; n < batch; n++) wrong += memcmp(some[n], all[n], ROWS * 4) != 0;
  }
  free(rows), free(tiles), free(x), free(values);
  return wrong;
}

int main(void) {
  static const uint32_t types[] = {CK_Q4_0, CK_Q8_0, CK_Q2_K, CK_Q4_K, CK_Q6_K};
  const ck_variant *fast = ck_variant_for(ck_cpu_detect());
  if (fast == &ck_plain) return puts("no kernels for this CPU"), 2;
  int wrong = 0;
  for (int t = 0; t < 5; t++) {
    for (size_t blocks = 1; blocks <= 9; blocks++) {
      for (int extreme = 0; extreme < 2; extreme++) wrong += check(fast, types[t], blocks, extreme);
    }
  }
  printf("%d differences\n", wrong);
  return wrong != 0;
}
