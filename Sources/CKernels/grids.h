// The grids of ggml's IQ2 and IQ3 formats: points are the sizes of eight or four values, a byte each.
#ifndef CKERNELS_GRIDS_H
#define CKERNELS_GRIDS_H

#include <stdint.h>

extern const uint64_t ck_grid_iq2_xxs[256], ck_grid_iq2_xs[512], ck_grid_iq2_s[1024];
extern const uint32_t ck_grid_iq3_xxs[256], ck_grid_iq3_s[512];

/// Eight signs out of seven bits: the eighth makes the number of negative ones even.
static inline unsigned ck_even_signs(unsigned bits) { return bits | (unsigned)__builtin_parity(bits) << 7; }

#endif
