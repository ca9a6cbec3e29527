// Finds the best instruction set that this machine can run, or the one that is asked for.
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}
#endif

// What the operating system does not save is not supported, whatever the processor can do.
bool ck_cpu_runs(ck_cpu cpu) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (cpu == CK_CPU_AVX2) return has_avx2();
  if (cpu == CK_CPU_AVX512VNNI)
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
#elif defined(__aarch64__) && defined(__linux__)
  const unsigned long dot_products = 1ul << 20;  // HWCAP_ASIMDDP
  if (cpu == CK_CPU_NEON) return (getauxval(AT_HWCAP) & dot_products) != 0;
#elif defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)
  if (cpu == CK_CPU_NEON) return true;
#endif
  return cpu == CK_CPU_PLAIN;
}

ck_cpu ck_cpu_choose(const char *name) {
  static const char *const names[] = {"plain", "avx2", "neon", "avx512vnni"};
  ck_cpu best = CK_CPU_PLAIN;
  for (int cpu = CK_CPU_PLAIN; cpu <= CK_CPU_AVX512VNNI; cpu++) {
    if (!ck_cpu_runs((ck_cpu)cpu)) continue;
    if (name && strcmp(name, names[cpu]) == 0) return (ck_cpu)cpu;
    best = (ck_cpu)cpu;
  }
  return best;
}

ck_cpu ck_cpu_detect(void) { return ck_cpu_choose(getenv("FMADAPTER_CPU")); }
