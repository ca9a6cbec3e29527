#include "build.h"

#include <stddef.h>

const char *build_commit(void) {
#ifdef FMADAPTER_COMMIT
  return FMADAPTER_COMMIT;
#else
  return NULL;
#endif
}
