// x86-64 with AVX2, FMA and F16C.
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#define CK_USE_F16C 1

#include "attention.h"
#include "delta_gradients.h"
#include "gradients.h"
#include "matmul.h"
#include "avx2_rows.h"
#include "avx2_pairs.h"

#pragma clang attribute pop

#define CK_VARIANT ck_avx2
#include "table.h"
#endif
