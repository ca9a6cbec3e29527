// Linux calls that the C library declares only to GNU sources, which Swift's Glibc module is not.
#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned int flags);
ssize_t copy_file_range(int input, int64_t *input_offset, int output, int64_t *output_offset,
                        size_t count, unsigned int flags);
int fallocate(int file, int mode, int64_t offset, int64_t count);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

/// Of its own accord the C library reserves 64 MB and more for what each thread allocates: where 'ulimit -v' leaves few addresses, that takes
/// those of the stacks of other threads, and whoever waits for these waits for ever.
static inline void save_addresses(void) {
#ifdef M_ARENA_MAX
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)8 << 30)
    mallopt(M_ARENA_MAX, 1);
#endif
}
