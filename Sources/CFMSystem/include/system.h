// Linux calls that the C library declares only to GNU sources, which Swift's Glibc module is not.
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned int flags);
ssize_t copy_file_range(int input, int64_t *input_offset, int output, int64_t *output_offset,
                        size_t count, unsigned int flags);
int fallocate(int file, int mode, int64_t offset, int64_t count);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int pthread_getattr_default_np(pthread_attr_t *attributes);
int pthread_setattr_default_np(const pthread_attr_t *attributes);

/// Of its own accord the C library reserves 64 MB and more for what each thread allocates: where 'ulimit -v' leaves few addresses, that takes
/// those of the stacks of other threads, and whoever waits for these waits for ever.
static inline void save_addresses(void) {
#ifdef M_ARENA_MAX
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)8 << 30)
    mallopt(M_ARENA_MAX, 1);
#endif
}

/// Gives threads whose starter names no size, as the runtime does, a stack of at least so many bytes: 'ulimit -s' may say less.
static inline void grow_stacks(size_t bytes) {
  pthread_attr_t attributes;
  size_t now;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  if (pthread_attr_getstacksize(&attributes, &now) == 0 && now < bytes && pthread_attr_setstacksize(&attributes, bytes) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}
