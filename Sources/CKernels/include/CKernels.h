#ifndef CKERNELS_H
#define CKERNELS_H

#include <stdint.h>

#include "cpu.h"

#endif
