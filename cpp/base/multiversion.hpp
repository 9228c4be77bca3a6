// cpp/base/multiversion.hpp: let the loader pick a wider build of a hot loop where the processor has one.
//
// A function marked POLYTOMY_MULTIVERSION is compiled for AVX2 too, beside the plain x86-64 build that runs anywhere. The
// loops so marked only add, multiply, divide, take roots and minima element by element, and nothing is contracted
// into fused operations: both builds give the same bits. Elsewhere (arm64, other systems, sanitizers) it is nothing.
#pragma once

#include <cstdlib>  // defines __GLIBC__ where there is one

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define POLYTOMY_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#define POLYTOMY_WIDE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))  // for long arithmetic only
#else
#define POLYTOMY_MULTIVERSION
#define POLYTOMY_WIDE_CLONES
#endif

// What such a loop calls must be compiled as wide as the loop: in it.
#define POLYTOMY_INLINE [[gnu::always_inline]] inline
