// tests/faults/failing_calls.cpp: makes the n-th C++ allocation, start of a thread or NumPy array of a process fail.
//
// Loaded before the other libraries (LD_PRELOAD), it replaces operator new and pthread_create. `array_handler` is to be
// given to PyDataMem_SetHandler: NumPy then takes the memory of its arrays from here. Nothing fails until `fail_at` is
// called.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

enum Kind : int { kAllocation, kThread, kArray, kKinds };

std::atomic<long> calls[kKinds];
std::atomic<long> failing[kKinds];  // the number of the call that fails; 0 for none
std::atomic<bool> and_later[kKinds];

bool fails(Kind kind) noexcept {
    const long at = failing[kind].load(std::memory_order_relaxed);
    const long number = calls[kind].fetch_add(1, std::memory_order_relaxed) + 1;
    return at > 0 && (number == at || (number > at && and_later[kind].load(std::memory_order_relaxed)));
}

void* allocated(std::size_t size, std::size_t alignment = 0) noexcept {
    if (fails(kAllocation)) return nullptr;
    if (size == 0) size = 1;
    if (alignment == 0) return std::malloc(size);
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void* array_malloc(void*, std::size_t size) noexcept { return fails(kArray) ? nullptr : std::malloc(size); }
void* array_calloc(void*, std::size_t n, std::size_t size) noexcept { return fails(kArray) ? nullptr : std::calloc(n, size); }
void* array_realloc(void*, void* memory, std::size_t size) noexcept {
    return fails(kArray) ? nullptr : std::realloc(memory, size);
}
void array_free(void*, void* memory, std::size_t) noexcept { std::free(memory); }

// PyDataMem_Handler, version 1, of NumPy's C API.
struct ArrayHandler {
    char name[127];
    std::uint8_t version;
    struct {
        void* context;
        void* (*malloc)(void*, std::size_t);
        void* (*calloc)(void*, std::size_t, std::size_t);
        void* (*realloc)(void*, void*, std::size_t);
        void (*free)(void*, void*, std::size_t);
    } allocator;
};

}  // namespace

#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT extern ArrayHandler array_handler;
ArrayHandler array_handler{"failing", 1, {nullptr, array_malloc, array_calloc, array_realloc, array_free}};

// From now on, call number `n` of a kind fails; with `later`, so do all that follow. n = 0: none.
EXPORT void fail_at(int kind, long n, int later) {
    calls[kind] = 0;
    and_later[kind] = later != 0;
    failing[kind] = n;
}

// Returns the number of calls since `fail_at`.
EXPORT long calls_made(int kind) { return calls[kind]; }

EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    return fails(kThread) ? EAGAIN : create(thread, attributes, start, argument);
}

}  // extern "C"

EXPORT void* operator new(std::size_t size) { return or_throw(allocated(size)); }
EXPORT void* operator new[](std::size_t size) { return or_throw(allocated(size)); }
EXPORT void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocated(size); }
EXPORT void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocated(size); }
EXPORT void* operator new(std::size_t size, std::align_val_t to) { return or_throw(allocated(size, static_cast<std::size_t>(to))); }
EXPORT void* operator new[](std::size_t size, std::align_val_t to) { return or_throw(allocated(size, static_cast<std::size_t>(to))); }
EXPORT void operator delete(void* memory) noexcept { std::free(memory); }
EXPORT void operator delete[](void* memory) noexcept { std::free(memory); }
EXPORT void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
EXPORT void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
EXPORT void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
EXPORT void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
EXPORT void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
EXPORT void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
