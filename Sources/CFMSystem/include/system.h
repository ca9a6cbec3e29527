// Linux calls that the C library declares only to GNU sources, which Swift's Glibc module is not.
#include <stdint.h>
#include <sys/types.h>

int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned int flags);
ssize_t copy_file_range(int input, int64_t *input_offset, int output, int64_t *output_offset,
                        size_t count, unsigned int flags);
int fallocate(int file, int mode, int64_t offset, int64_t count);
