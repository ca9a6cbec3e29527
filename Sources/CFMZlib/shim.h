// zlib, with its macros that begin to decompress a stream without a head, and one in gzip's form, given names that Swift can call.
#include <zlib.h>

static inline int inflate_init_raw(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }

static inline int inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }
