#ifndef CKERNELS_H
#define CKERNELS_H

#include <stdint.h>

#include "compute.h"
#include "cpu.h"
#include "delta.h"
#include "logits.h"
#include "lowrank_norms.h"
#include "quantize.h"
#include "training.h"
#include "wait.h"

#endif
