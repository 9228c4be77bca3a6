// tests/faults/starved_threads.cpp: fails every allocation of chosen threads.
//
// Loaded before the other libraries (LD_PRELOAD), it replaces malloc. It must not need the C++ library: that library would
// then be loaded first as well, and its data of each thread would need no allocation, unlike in an ordinary process.
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

extern "C" {

void* __libc_malloc(size_t size);

static __thread char is_starved __attribute__((tls_model("initial-exec")));  // 0: as the others; 1: yes; 2: no
static volatile bool others_are_starved;

// From now on, the allocations of this thread fail, or no longer do.
EXPORT void starve(bool on) { is_starved = on; }

// From now on, the allocations of all threads but this one fail, or no longer do.
EXPORT void starve_others(bool on) {
    is_starved = 2;
    others_are_starved = on;
}

EXPORT void* malloc(size_t size) {
    const bool fails = is_starved == 1 || (is_starved == 0 && others_are_starved);
    return fails ? nullptr : __libc_malloc(size);
}

}  // extern "C"
