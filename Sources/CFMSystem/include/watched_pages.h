// Pages of mapped files whose loss is an error that can be told, not the end of the process.
#include <stddef.h>

/// A run of mapped pages that is watched.
struct watched_pages;

/// Watches the `count` bytes at `base`, whose file is called `path` in reports; NULL when there is no memory for it.
///
/// Where the file has no byte for a page any more, because it was cut or its disk fails, the system sends SIGBUS to
/// whoever reads the page. From the first call on, a handler puts pages of zeros in the place of that page and all
/// behind it and notes the loss, and the reader goes on. A SIGBUS from anywhere else goes to the handler that was there.
struct watched_pages *watch_pages(const void *base, size_t count, const char *path);

/// Whether pages were lost since they are watched: nothing that was read since then means anything.
int watched_pages_are_lost(const struct watched_pages *pages);

/// Ends the watch; call it before the pages are unmapped.
void unwatch_pages(struct watched_pages *pages);

/// The path of the first file that lost pages in this process, or NULL; valid for as long as the process runs.
const char *first_lost_file(void);
