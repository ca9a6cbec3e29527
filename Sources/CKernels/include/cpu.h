#ifndef CKERNELS_CPU_H
#define CKERNELS_CPU_H

/// The instruction sets that kernels exist for, weakest first.
typedef enum {
  CK_CPU_PLAIN = 0,  ///< portable C, the reference that the others are tested against
  CK_CPU_AVX2 = 1,   ///< AVX2 + FMA + F16C
  CK_CPU_NEON = 2,   ///< AArch64 NEON with dot products
} ck_cpu;

/// The best variant that this machine can run; `FMADAPTER_CPU=plain` forces the reference.
ck_cpu ck_cpu_detect(void);

#endif
