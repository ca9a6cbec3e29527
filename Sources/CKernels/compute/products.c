#include <string.h>

#include "tiled.h"

enum { MOST_ROWS = 64 };

static size_t chunks_of(const ck_product *product, size_t chunk_rows) {
  return (product->rows + chunk_rows - 1) / chunk_rows;
}

size_t ck_product_chunks(const ck_product_job *job) {
  if (job->gating) return chunks_of(job->products, job->chunk_rows);
  size_t chunks = 0;
  for (size_t i = 0; i < job->product_count; i++)
    chunks += chunks_of(&job->products[i], job->chunk_rows);
  return chunks;
}

static ck_tile kernel(const ck_variant *variant, uint32_t type, bool tiled) {
  const size_t slot = ck_slot(type);
  if (!tiled) return variant->tile[slot];
  return variant->wide[slot] ? variant->wide[slot] : variant->tiled[slot];
}

/// y[n * y_stride + r] += scale * (B u) for the weight rows from `first` and the batch rows from `row` that it is for.
static void add_low_rank(const ck_variant *variant, const ck_low_rank *addition, size_t first,
                         size_t rows, size_t row, size_t batch, float *y, size_t y_stride) {
  const size_t from = ck_most(row, addition->first_row), end = ck_least(row + batch, addition->end_row);
  if (from >= end) return;
  float update[CK_TILE][MOST_ROWS];
  const ck_tile multiply = kernel(variant, addition->type, addition->tiled);
  multiply(addition->rank, addition->b + first * addition->row_bytes, addition->row_bytes, rows,
           addition->u + from * addition->u_bytes, addition->u_bytes, end - from, update[0], MOST_ROWS);
  for (size_t n = from; n < end; n++)
    for (size_t r = 0; r < rows; r++) y[(n - row) * y_stride + r] += addition->scale * update[n - from][r];
}

/// y = sums + bias, or y += that; loops without choices, so that vectors do them.
static void store_row(float *restrict y, const float *restrict sums, const float *restrict bias, bool adds,
                      size_t rows) {
  if (bias && adds) {
    for (size_t r = 0; r < rows; r++) y[r] += sums[r] + bias[r];
  } else if (bias) {
    for (size_t r = 0; r < rows; r++) y[r] = sums[r] + bias[r];
  } else if (adds) {
    for (size_t r = 0; r < rows; r++) y[r] += sums[r];
  } else {
    memcpy(y, sums, rows * sizeof *y);
  }
}

static void store_tile(const ck_product *product, size_t first, size_t rows, size_t row,
                       size_t batch, float tile[CK_TILE][MOST_ROWS]) {
  const float *bias = product->bias ? product->bias + first : NULL;
  for (size_t n = 0; n < batch; n++)
    store_row(product->y + (row + n) * product->y_stride + first, tile[n], bias, product->accumulate, rows);
}

/// Whether sums can be written where they belong: kernels write whole tiles.
static bool is_plain(const ck_product *product, size_t rows) {
  return !product->bias && !product->accumulate && rows % CK_WIDE_TILE_ROWS == 0;
}

/// Rounds the rows of y up to `end` in the last of `chunks` chunks: a block's scale needs all of its values.
static void round_when_done(const ck_variant *variant, const ck_product *product, size_t chunks, size_t end) {
  if (__atomic_add_fetch(product->done, 1, __ATOMIC_ACQ_REL) < chunks) return;
  __atomic_store_n(product->done, 0, __ATOMIC_RELAXED);
  for (size_t n = product->first_row; n < end; n++)
    variant->quantize(product->y + n * product->y_stride, product->rows, 0, product->rows / 32,
                      product->rounded + n * product->rounded_bytes);
}

/// Lets B of every addition come while the product itself is computed: each is a few lines at a place of its own, which would be
/// waited for.
static void fetch_low_rank(const ck_product *product, size_t first, size_t rows, size_t end) {
  for (size_t i = 0; i < product->addition_count; i++) {
    const ck_low_rank *addition = &product->additions[i];
    if (addition->first_row >= ck_least(end, addition->end_row)) continue;
    const uint8_t *b = addition->b + first * addition->row_bytes;
    for (size_t byte = 0; byte < rows * addition->row_bytes; byte += 64) __builtin_prefetch(b + byte, 0, 2);
  }
}

/// Rows `first` to `first + rows` of y, out of `weights`, which are theirs.
static void multiply_rows(const ck_variant *variant, const ck_product *product, ck_tile multiply, const uint8_t *weights,
                          size_t first, size_t rows, size_t end) {
  fetch_low_rank(product, first, rows, end);
  for (size_t row = product->first_row; row < end; row += CK_TILE) {
    const size_t batch = ck_least(end - row, CK_TILE);
    const uint8_t *x = product->x + row * product->x_bytes;
    float tile[CK_TILE][MOST_ROWS];
    const bool plain = is_plain(product, rows);
    float *y = plain ? product->y + row * product->y_stride + first : tile[0];
    const size_t y_stride = plain ? product->y_stride : MOST_ROWS;
    multiply(product->columns, weights, product->row_bytes, rows, x, product->x_bytes, batch, y, y_stride);
    for (size_t i = 0; i < product->addition_count; i++)
      add_low_rank(variant, &product->additions[i], first, rows, row, batch, y, y_stride);
    if (!plain) store_tile(product, first, rows, row, batch, tile);
  }
}

/// The same out of rows that become tiles for this product only: they stay in the caches, and no memory has to be found
/// for the tiles of all rows.
static void multiply_panels(ck_cpu cpu, const ck_product *product, const uint8_t *weights, size_t first, size_t rows,
                            size_t end) {
  uint8_t panel[CK_PANEL_BYTES] __attribute__((aligned(64)));
  const ck_variant *variant = ck_variant_for(cpu);
  const ck_tile multiply = kernel(variant, product->type, true);
  const size_t tile_rows = ck_tile_rows(cpu, product->type);
  for (size_t r = 0; r < rows; r += CK_WIDE_TILE_ROWS) {
    const size_t count = ck_least(rows - r, CK_WIDE_TILE_ROWS);
    const ck_tiling_job tiling = {.cpu = cpu, .type = product->type, .rows = count,
                                  .weights = weights + r * product->row_bytes, .row_bytes = product->row_bytes,
                                  .tile_rows = tile_rows, .tiles = panel};
    for (size_t tile = 0; tile * tile_rows < count; tile++) ck_tiling_chunk(&tiling, tile);
    multiply_rows(variant, product, multiply, panel, first + r, count, end);
  }
}

/// One chunk of a product.
static void multiply_chunk(const ck_product_job *job, const ck_product *product, size_t first, size_t rows, size_t end) {
  const ck_variant *variant = ck_variant_for(job->cpu);
  const uint8_t *weights = product->weights + first * product->row_bytes;
  if (product->layout == CK_TO_TILES) {
    multiply_panels(job->cpu, product, weights, first, rows, end);
  } else {
    const bool narrow = product->layout == CK_IN_NARROW_TILES;
    const ck_tile multiply = narrow ? variant->tiled[ck_slot(product->type)]
                                    : kernel(variant, product->type, product->layout == CK_IN_TILES);
    multiply_rows(variant, product, multiply, weights, first, rows, end);
  }
  if (product->rounded) round_when_done(variant, product, chunks_of(product, job->chunk_rows), end);
}

/// Puts what the gate lets through in its place.
static void gate_rows(const ck_product_job *job, size_t first, size_t rows, size_t end) {
  const ck_variant *variant = ck_variant_for(job->cpu);
  const ck_product *gate = &job->products[0], *up = &job->products[1];
  const size_t bytes = ck_row_bytes(CK_BLOCKS, gate->rows);
  for (size_t n = gate->first_row; n < end; n++) {
    float *y = gate->y + n * gate->y_stride;
    variant->gate(y + first, up->y + n * up->y_stride + first, rows, job->gating->activation);
    if (!job->gating->rounded) continue;
    variant->quantize(y, gate->rows, first / 32, (first + rows) / 32, job->gating->rounded + n * bytes);
  }
}

void ck_product_chunk(const void *argument, size_t chunk) {
  const ck_product_job *job = argument;
  const ck_product *product = job->products;
  if (job->listed) chunk = job->listed[chunk];
  if (job->alike) {
    const size_t chunks = chunks_of(product, job->chunk_rows);
    product += chunk / chunks;
    chunk %= chunks;
  }
  for (size_t chunks; chunk >= (chunks = chunks_of(product, job->chunk_rows)); product++)
    chunk -= chunks;
  const size_t first = chunk * job->chunk_rows, rows = ck_least(product->rows - first, job->chunk_rows);
  const size_t end = ck_least(job->batch, product->end_row);
  multiply_chunk(job, product, first, rows, end);
  if (!job->gating) return;
  multiply_chunk(job, product + 1, first, rows, end);
  gate_rows(job, first, rows, end);
}
