// Tells the thread sanitizer of the waits of Swift's Mutex, for tools/check-threads.
//
// A Mutex that is free is taken by an atomic operation in the code of its user, which the sanitizer sees. One that is not is waited for by
// Synchronization, which is not built with the sanitizer, and handed over by the kernel; what its holder did would look unordered.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

extern void __tsan_acquire(void *);
extern void __tsan_release(void *);

SWIFT void lock_slow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_slow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

static SWIFT void (*lock)(uint32_t, SELF);
static SWIFT void (*unlock)(SELF);

__attribute__((constructor)) static void find(void) {
  lock = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  unlock = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
}

SWIFT void lock_slow(uint32_t thread, SELF) {
  lock(thread, self);
  __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
  __tsan_release(self);
  unlock(self);
}
