#ifndef CKERNELS_WAIT_H
#define CKERNELS_WAIT_H

#include <stdint.h>

/// Sleeps while the word at `word` is `expected`, until a wake; may also return for no reason.
void ck_wait(const void *word, uint32_t expected);
/// Wakes all threads that sleep on the word at `word`.
void ck_wake_all(const void *word);
/// Tells the processor that this is a short loop of waiting.
void ck_pause(void);

#endif
