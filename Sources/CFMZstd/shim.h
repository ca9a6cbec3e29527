// Zstandard, and what its errors are.
#include <zstd.h>
#include <zstd_errors.h>
