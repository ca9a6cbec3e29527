// The files of the studio's page, as they lie in Page.

#include <stddef.h>

/// One of the files.
struct studio_file {
  /// Its name, without a folder.
  const char *name;
  const unsigned char *bytes;
  size_t count;
};

/// The first of the files, which lie one behind the other; behind the last one is one without a name.
const struct studio_file *studio_first_file(void);
