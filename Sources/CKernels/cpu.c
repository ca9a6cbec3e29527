#include "cpu.h"

#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

// A stronger variant (AVX-512 with VNNI, say) is a case of ck_cpu, a test here and a table of kernels.
ck_cpu ck_cpu_detect(void) {
  const char *forced = getenv("FMADAPTER_CPU");
  if (forced && strcmp(forced, "plain") == 0) return CK_CPU_PLAIN;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c"))
    return CK_CPU_AVX2;
#elif defined(__aarch64__) && defined(__linux__)
  const unsigned long dot_products = 1ul << 20;  // HWCAP_ASIMDDP
  if (getauxval(AT_HWCAP) & dot_products) return CK_CPU_NEON;
#elif defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)
  return CK_CPU_NEON;
#endif
  return CK_CPU_PLAIN;
}
