#ifndef CKERNELS_LOGITS_H
#define CKERNELS_LOGITS_H

#include <stddef.h>
#include <stdint.h>

#include "cpu.h"

// What is done with the logits of a token, beside the steps of a pass; jobs and chunks are those of compute.h.

/// Values of a chunk of weights.
enum { CK_WEIGHTS = 1024 };

/// x = exp((x - top) / temperature), where no x is above the top; one chunk is up to CK_WEIGHTS values, and their sum.
typedef struct {
  ck_cpu cpu;
  size_t count;
  float *x;
  float top, temperature;
  float *sums;  // (chunks)
} ck_weights_job;

void ck_weights_chunk(const void *job, size_t chunk);

/// Where the largest of `count` values is, the first of several; `count` when one is not finite.
size_t ck_largest(const float *x, size_t count);

/// 32-bit FNV-1a over bytes.
uint32_t ck_hash(const void *bytes, size_t count);

#endif
