// Portable C: the reference that every other variant is tested against.
#include "attention.h"

CK_INLINE int32_t ck_dot16(const int8_t *a, const int8_t *b) {
  int32_t sum = 0;
  for (int i = 0; i < 16; i++) sum += a[i] * b[i];
  return sum;
}

#include "tiles.h"

#define CK_VARIANT ck_plain
#include "table.h"
