#ifndef CKERNELS_COMPUTE_H
#define CKERNELS_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu.h"

// The steps of a transformer's forward pass. Each step is a job: a structure that describes the whole
// step and a function that does one chunk of it. Chunks are independent of each other, write disjoint
// memory and give the same bits however they are grouped, so any number of threads gives one result.
// Strides are in elements of the pointed-to type; rows lie one after the other.

/// Weight types, by the numbers of GGUF; Q2_B's is its name in ASCII, see balanced.c.
enum {
  CK_F32 = 0,
  CK_F16 = 1,
  CK_Q4_0 = 2,
  CK_Q4_1 = 3,
  CK_Q5_0 = 6,
  CK_Q5_1 = 7,
  CK_Q8_0 = 8,
  CK_Q2_K = 10,
  CK_Q3_K = 11,
  CK_Q4_K = 12,
  CK_Q5_K = 13,
  CK_Q6_K = 14,
  CK_IQ2_XXS = 16,
  CK_IQ2_XS = 17,
  CK_IQ3_XXS = 18,
  CK_IQ4_NL = 20,
  CK_IQ3_S = 21,
  CK_IQ2_S = 22,
  CK_IQ4_XS = 23,
  CK_BF16 = 30,
  CK_TQ2_0 = 35,
  CK_MXFP4 = 39,
  CK_Q2_0 = 42,
  CK_Q2_B = 0x425f3251,
};

/// Rows of activations that one pass over the weights serves.
enum { CK_TILE = 8 };

/// Rows of weights whose blocks lie side by side in a tile.
enum { CK_TILE_ROWS = 8, CK_WIDE_TILE_ROWS = 16 };

/// Rows of the tiles of a type that ck_has_tiles, as the kernels of `cpu` read them: 8 or 16.
size_t ck_tile_rows(ck_cpu cpu, uint32_t type);

/// What a weight type multiplies: floats, or int8 in blocks of 32.
typedef enum { CK_FLOATS = 0, CK_BLOCKS = 1 } ck_form;

ck_form ck_form_of(uint32_t type);

/// Bytes of one row of `columns` activations in a form.
///
/// CK_BLOCKS, for whole blocks: a scale per block (f32), the scale times the sum of the block (f32), the sum
/// times -8 (int32), the sums of its halves (2 x int16), then int8 values; all but the values are padded with
/// zeros to a multiple of 8 blocks.
size_t ck_row_bytes(ck_form form, size_t columns);

/// Rounds rows of floats to int8, -127...127, in blocks of 32; one chunk is one row.
typedef struct {
  ck_cpu cpu;
  size_t columns;
  const float *x;  // (batch, columns)
  size_t x_stride;
  uint8_t *q;  // (batch, ck_row_bytes)
} ck_quantize_job;

void ck_quantize_chunk(const void *job, size_t chunk);

/// Whether there are kernels for tiles of a type, of any number of columns.
bool ck_has_tiles(uint32_t type);

/// Rows of CK_F16 have tiles where they are so short, such as those of an adapter's B.
enum { CK_FEW_COLUMNS = 64 };

/// How many times its value a half is as it is rounded to CK_Q8_0: scales then are as large as the largest value of
/// their block, and lose no more by being halves than it has.
enum { CK_ROUNDING_FACTOR = 128 };

/// Rearranges rows of weights into tiles of `tile_rows` rows; one chunk is one tile.
typedef struct {
  ck_cpu cpu;
  uint32_t type;  // one that ck_has_tiles, or CK_F16 of few columns
  size_t rows;
  const uint8_t *weights;  // (rows, row_bytes)
  bool halves;             // weights are (rows, columns) f16, to be rounded to `type`, which is CK_Q8_0
  size_t row_bytes;        // of `type`
  size_t tile_rows;        // of ck_tile_rows
  uint8_t *tiles;          // rows rounded up to tile_rows, times row_bytes; missing rows become zeros
} ck_tiling_job;

void ck_tiling_chunk(const void *job, size_t chunk);

/// How a product finds its weights.
typedef enum {
  CK_IN_ROWS = 0,   // row_bytes apart, read as they are
  CK_IN_TILES = 1,  // in tiles for the CPU that multiplies, see ck_tiling_job
  CK_TO_TILES = 2,  // in rows of a type that ck_has_tiles, of which each chunk makes tiles for itself; see CK_PANEL_BYTES
  CK_IN_NARROW_TILES = 3,  // in tiles of CK_TILE_ROWS rows, whatever those of other matrices have
} ck_layout;

/// Tiles that a chunk makes for itself are at most so large, on its thread's stack: CK_WIDE_TILE_ROWS rows.
enum { CK_PANEL_BYTES = 256 << 10 };

/// A low-rank addition to a product: y += scale * B u, for the rows of the batch from first_row to end_row.
typedef struct {
  uint32_t type;     // CK_F16, in tiles where it has few columns, or CK_Q8_0 in tiles
  const uint8_t *b;  // (rows, rank), row_bytes apart
  size_t row_bytes;
  bool tiled;
  const uint8_t *u;  // (batch, rank) in the form that `type` multiplies, u = A x
  size_t u_bytes;    // from row to row
  size_t rank;
  float scale;
  size_t first_row, end_row;  // end_row may be beyond the batch
} ck_low_rank;

/// One product of a step: y = W x, or y += W x, with its bias and low-rank additions.
typedef struct {
  uint32_t type;
  size_t rows, columns;
  const uint8_t *weights;  // (rows, columns), row_bytes apart
  size_t row_bytes;
  ck_layout layout;
  const uint8_t *x;  // (batch, columns) in the form that `type` multiplies
  size_t x_bytes;    // from row to row
  const float *bias;  // (rows) or NULL
  const ck_low_rank *additions;
  size_t addition_count;
  float *y;  // (batch, rows)
  size_t y_stride;
  bool accumulate;
  uint8_t *rounded;      // y as ck_quantize_job rounds it too, where rows are a multiple of 32; or NULL
  size_t rounded_bytes;  // from row to row
  uint32_t *done;        // chunks that are done, 0 between jobs: whoever does the last one rounds; NULL without `rounded`
  size_t first_row, end_row;  // rows of the batch that it is for; end_row may be beyond it
} ck_product;

/// x * sigmoid(x), x * normal(x) with the hyperbolic tangent in the place of the error function, or sigmoid(x).
typedef enum { CK_SILU = 0, CK_GELU = 1, CK_SIGMOID = 2 } ck_activation;

/// What becomes of two products of as many rows: the first is activation(first) * second then.
typedef struct {
  ck_activation activation;
  uint8_t *rounded;  // that as ck_quantize_job rounds it too, where rows and those of a chunk are multiples of 32; or NULL
} ck_gating;

/// Products that have no order between them; one chunk is up to `chunk_rows` rows of one product, or of both where one is
/// the gate of the other: whoever has computed them finds them in its caches.
typedef struct {
  ck_cpu cpu;
  const ck_product *products;
  size_t product_count;
  size_t batch;
  size_t chunk_rows;  // a multiple of CK_WIDE_TILE_ROWS, at most 64
  bool alike;         // all products have as many rows, so that a chunk is found without a search
  const uint32_t *listed;  // the chunks that are computed; NULL for all
  const ck_gating *gating;  // of the only two products; NULL for none
} ck_product_job;

size_t ck_product_chunks(const ck_product_job *job);
void ck_product_chunk(const void *job, size_t chunk);

/// Rows of a matrix as floats, such as the embeddings of tokens; one chunk is one row.
typedef struct {
  uint32_t type;
  size_t columns;
  const uint8_t *weights;
  size_t row_bytes;
  size_t tile_rows;     // of the tiles that the weights are in, see ck_tiling_job; 0 if they are in rows
  const int32_t *rows;  // (batch), which rows
  float *y;             // (batch, columns)
  size_t y_stride;
} ck_gather_job;

void ck_gather_chunk(const void *job, size_t chunk);

/// y = x / rms(x) * weight, also rounded; one chunk is one row. Zhang and Sennrich 2019.
typedef struct {
  ck_cpu cpu;
  size_t columns;
  const float *x;  // (batch, columns)
  size_t x_stride;
  const float *weight;  // (columns)
  float epsilon;
  float *y;  // (batch, columns)
  size_t y_stride;
  uint8_t *q;  // (batch, ck_row_bytes) as ck_quantize_job makes them, or NULL
} ck_norm_job;

void ck_norm_chunk(const void *job, size_t chunk);

/// How a cache keeps keys and values: f32, f16, or int8 in blocks of 32 with a scale each, see cache.h.
typedef enum { CK_CACHE_F32 = 0, CK_CACHE_F16 = 1, CK_CACHE_Q8 = 2 } ck_cache_format;

/// Bytes of one head of `size` values at one position.
static inline size_t ck_cache_row_bytes(ck_cache_format format, size_t size) {
  return format == CK_CACHE_F32 ? size * 4 : format == CK_CACHE_F16 ? size * 2 : size + (size + 31) / 32 * 2;
}

/// Positions whose keys lie side by side in a cache, those of a page, whole blocks, and the most values of a head there.
enum { CK_ATTENTION_BLOCK = 32, CK_CACHE_PAGE = 64, CK_ATTENTION_SIZE = 512 };

/// Normalizes, rotates and stores heads; one chunk is one head of the rows whose positions are in one block of
/// CK_ATTENTION_BLOCK, so that no two threads write to one line of memory.
typedef struct {
  ck_cpu cpu;
  size_t batch, heads, head_size;
  float *x;  // (batch, heads, head_size), changed in place
  size_t x_stride;
  const float *norm;  // (head_size) or NULL
  float epsilon;
  bool norm_first;      // before the rotation
  size_t rotated;       // leading values of each head that rotate, even; 0 for none
  bool adjacent;        // pairs (2i, 2i + 1) instead of (i, i + rotated / 2)
  const float *cosine;  // (batch, rotated / 2)
  const float *sine;    // (batch, rotated / 2)
  void *const *pages;   // of the cache, by position, or NULL
  size_t offset;        // bytes in front of the first head's in each: (heads, page / block, keys and values, a block of them)
  bool columns;         // whether a block is (head_size, block), as for keys, and not (block, head_size)
  ck_cache_format cache_format;
  size_t position;      // of the first row
} ck_head_job;

size_t ck_head_chunks(const ck_head_job *job);
void ck_head_chunk(const void *job, size_t chunk);

/// magnitude times cosines and sines of position * frequency; one chunk is one row. Su et al. 2021; Peng et al. 2023.
typedef struct {
  size_t count;             // frequencies
  const float *frequency;   // (count)
  size_t position;          // of the first row
  float *cosine, *sine;     // (batch, count)
  float magnitude;
} ck_rotation_job;

void ck_rotation_chunk(const void *job, size_t chunk);

/// Most query heads that are done at once: of one row, and of all rows of a chunk.
enum { CK_ATTENTION_HEADS = 8, CK_ATTENTION_QUERIES = 48 };

/// Causal attention over the cache; one chunk is `rows` query rows and one key/value head. Those of a head follow each other:
/// what one of them has read may still be in the caches for the next.
typedef struct {
  ck_cpu cpu;
  size_t heads, kv_heads, head_size;  // head_size at most CK_ATTENTION_SIZE
  const float *q;  // (batch, heads, head_size)
  size_t q_stride;
  void *const *pages;    // of the cache, by position
  size_t keys;           // bytes in front of the first keys in each, as ck_head_job has them
  size_t values;         // bytes in front of the first values
  ck_cache_format cache_format;
  size_t position;  // of the first row; a row sees itself and those before it
  float scale;
  float *y;  // (batch, heads, head_size)
  size_t y_stride;
  size_t window;  // positions that a row sees, itself among them; 0 for all
  float cap;      // scores become cap * tanh(score / cap); 0 for as they are
  size_t batch;   // query rows
  size_t rows;    // times heads of one key/value head, or times CK_ATTENTION_HEADS: at most CK_ATTENTION_QUERIES
  uint8_t *rounded;  // y as ck_quantize_job rounds it too, where the heads of a key/value head are whole blocks; or NULL
} ck_attention_job;

void ck_attention_chunk(const void *job, size_t chunk);

/// Jobs of one kind, run as one: the chunks of each come behind those of the one before.
typedef struct {
  void (*body)(const void *job, size_t chunk);
  const void *jobs;
  size_t job_bytes;
  const size_t *ends;  // of the chunks of each job
} ck_joined_job;

void ck_joined_chunk(const void *job, size_t chunk);

/// Columns of a chunk of a step that goes value by value, a multiple of 8.
enum { CK_CHUNK_COLUMNS = 1024 };

/// gate = activation(gate) * up; one chunk is up to CK_CHUNK_COLUMNS columns of a row, those of a row in turn.
typedef struct {
  ck_cpu cpu;
  size_t columns;
  float *gate;  // (batch, columns)
  const float *up;
  size_t stride, up_stride;
  ck_activation activation;
} ck_gate_job;

void ck_gate_chunk(const void *job, size_t chunk);

/// x = scale * x, then cap * tanh(x / cap) unless cap is 0; chunks as those of the gate.
typedef struct {
  ck_cpu cpu;
  size_t columns;
  float *x;  // (batch, columns)
  size_t stride;
  float scale, cap;
} ck_scale_job;

void ck_scale_chunk(const void *job, size_t chunk);

/// x += scale * y; chunks as those of the gate.
typedef struct {
  size_t columns;
  float *x;  // (batch, columns)
  const float *y;
  size_t stride;
  float scale;
} ck_add_job;

void ck_add_chunk(const void *job, size_t chunk);

/// Columns of a chunk of a convolution.
enum { CK_CONVOLUTION_COLUMNS = 256 };

/// y = c * sum over k of weight[k] * u[row + 1 - taps + k] in each column, where u = b * x, and b, c and x lie behind each
/// other in a row. u of earlier rows is read from a ring, and that of these rows is written there; before position 0
/// it is 0. One chunk is up to CK_CONVOLUTION_COLUMNS columns of all rows.
typedef struct {
  size_t columns, taps, batch;
  const float *bcx;  // (batch, 3 * columns)
  size_t stride;
  const float *weight;  // (taps, columns)
  float *ring;          // (ring_rows, columns), position p in row p % ring_rows
  size_t ring_rows;     // at least taps
  size_t position;      // of the first row
  float *y;             // (batch, columns)
  size_t y_stride;
} ck_convolution_job;

void ck_convolution_chunk(const void *job, size_t chunk);

/// The experts of each row: the `used` with the largest logits, the largest first, of equal ones the first. Their weights
/// are softmax(logits), or that divided by what those of the row add up to; one chunk is one row.
typedef struct {
  size_t experts, used;  // at least one used, and no more than there are
  const float *logits;   // (batch, experts)
  size_t stride;
  bool normalize;
  int32_t *chosen;  // (batch, used)
  float *weights;   // (batch, used)
} ck_route_job;

void ck_route_chunk(const void *job, size_t chunk);

/// Copies each row to the places of its experts, as it is and rounded; one chunk is one row.
typedef struct {
  ck_cpu cpu;
  size_t columns, used;
  const float *x;  // (batch, columns)
  size_t x_stride;
  const int32_t *places;  // (batch, used)
  float *y;               // (batch * used, columns), or NULL
  size_t y_stride;
  uint8_t *q;  // (batch * used, ck_row_bytes), or NULL
} ck_spread_job;

void ck_spread_chunk(const void *job, size_t chunk);

/// y = sum of weights * x at the places of a row's experts in their order, or y += that; chunks as those of the gate.
typedef struct {
  size_t columns, used;
  const float *x;  // (batch * used, columns)
  size_t x_stride;
  const int32_t *places;  // (batch, used)
  const float *weights;   // (batch, used)
  float *y;               // (batch, columns)
  size_t stride;
  bool accumulate;
} ck_mix_job;

void ck_mix_chunk(const void *job, size_t chunk);

/// Reads memory as fast as it goes, to learn the bandwidth; one chunk is `chunk_bytes`.
typedef struct {
  const uint8_t *bytes;
  size_t count, chunk_bytes;
  uint64_t *sums;  // one per chunk, so that the reads cannot be optimised away
} ck_read_job;

void ck_read_chunk(const void *job, size_t chunk);

#endif
