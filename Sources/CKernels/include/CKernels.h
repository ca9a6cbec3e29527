#ifndef CKERNELS_H
#define CKERNELS_H

#include <stdint.h>

#include "compute.h"
#include "cpu.h"
#include "wait.h"

#endif
