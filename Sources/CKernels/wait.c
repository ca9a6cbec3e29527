#include "wait.h"

#include <sched.h>

#if defined(__linux__)
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

extern long syscall(long number, ...);

void ck_wait(const void *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
}

void ck_wake_all(const void *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0);
}
#else
void ck_wait(const void *word, uint32_t expected) { sched_yield(); }
void ck_wake_all(const void *word) {}
#endif

void ck_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}
