// zlib, with its macro that begins to decompress a stream without a head given a name that Swift can call.
#include <zlib.h>

static inline int inflate_init_raw(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }
