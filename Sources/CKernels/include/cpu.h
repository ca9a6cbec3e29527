#ifndef CKERNELS_CPU_H
#define CKERNELS_CPU_H

#include <stdbool.h>

/// The instruction sets that kernels exist for, weakest first.
typedef enum {
  CK_CPU_PLAIN = 0,       ///< portable C, the reference that the others are tested against
  CK_CPU_AVX2 = 1,        ///< AVX2 + FMA + F16C
  CK_CPU_NEON = 2,        ///< AArch64 NEON with dot products
  CK_CPU_AVX512VNNI = 3,  ///< the above of x86-64, and AVX-512 F + BW + DQ + VL + VNNI
} ck_cpu;

/// Whether this machine and its operating system can run a variant.
bool ck_cpu_runs(ck_cpu cpu);

/// The variant of a name (`plain`, `avx2`, `neon`, `avx512vnni`) if this machine can run it; the best one that it can
/// run for NULL and for any other name.
ck_cpu ck_cpu_choose(const char *name);

/// The variant that `FMADAPTER_CPU` names, chosen as by ck_cpu_choose.
ck_cpu ck_cpu_detect(void);

#endif
