#define _GNU_SOURCE
#include "watched_pages.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct watched_pages {
  // The handler reads them while other threads write: `begin` is 0 while nobody uses the entry, and set last.
  _Atomic(uintptr_t) begin;
  _Atomic(uintptr_t) end;
  atomic_int lost;
  char *path;
  // Set once. Entries are used again and never freed, so that the handler may walk along them at any time.
  struct watched_pages *next;
};

static _Atomic(struct watched_pages *) entries;
static _Atomic(const char *) lost_file;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static struct sigaction previous;
static uintptr_t page_size;

static struct watched_pages *find(uintptr_t address) {
  for (struct watched_pages *entry = atomic_load(&entries); entry; entry = entry->next) {
    uintptr_t begin = atomic_load(&entry->begin);
    uintptr_t end = atomic_load(&entry->end);
    if (begin && address >= begin && address < end && atomic_load(&entry->begin) == begin)
      return entry;
  }
  return NULL;
}

/// Zeros from the page of `address` on: where a file was cut, every page behind is gone too.
static int replace(struct watched_pages *entry, uintptr_t address) {
  uintptr_t start = address / page_size * page_size;
  // Noted first, so that whoever reads a zero can know of it.
  const char *none = NULL;
  atomic_store(&entry->lost, 1);
  atomic_compare_exchange_strong(&lost_file, &none, entry->path);
  return mmap((void *)start, atomic_load(&entry->end) - start, PROT_READ,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

static void pass_on(int number, siginfo_t *info, void *context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  } else if (previous.sa_handler == SIG_DFL || info->si_code > 0) {
    // A fault comes again at once, and then ends the process; a signal that was sent has to be sent again.
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);
  }
}

/// Only system calls, atomics and memory that is never freed: it may come between any two instructions.
static void handle(int number, siginfo_t *info, void *context) {
  int saved = errno;
  struct watched_pages *entry = NULL;
  if (info->si_code == BUS_ADRERR) entry = find((uintptr_t)info->si_addr);
  if (!entry || !replace(entry, (uintptr_t)info->si_addr)) pass_on(number, info, context);
  errno = saved;
}

static void install(void) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous);
}

/// An entry that nobody uses, or a new one; entries that lost pages keep their path for ever.
static struct watched_pages *vacant_entry(void) {
  struct watched_pages *entry = atomic_load(&entries);
  while (entry && (atomic_load(&entry->begin) || atomic_load(&entry->lost))) entry = entry->next;
  if (entry || !(entry = calloc(1, sizeof *entry))) return entry;
  entry->next = atomic_load(&entries);
  atomic_store(&entries, entry);
  return entry;
}

struct watched_pages *watch_pages(const void *base, size_t count, const char *path) {
  pthread_once(&installed, install);
  char *copy = strdup(path);
  if (!copy) return NULL;
  pthread_mutex_lock(&changing);
  struct watched_pages *entry = vacant_entry();
  if (entry) {
    free(entry->path);
    entry->path = copy;
    uintptr_t end = (uintptr_t)base + count;
    atomic_store(&entry->end, (end + page_size - 1) / page_size * page_size);
    atomic_store(&entry->begin, (uintptr_t)base);
  } else {
    free(copy);
  }
  pthread_mutex_unlock(&changing);
  return entry;
}

int watched_pages_are_lost(const struct watched_pages *pages) {
  return atomic_load(&pages->lost);
}

void unwatch_pages(struct watched_pages *pages) { atomic_store(&pages->begin, 0); }

const char *first_lost_file(void) { return atomic_load(&lost_file); }
