// cpp/base/multiversion.hpp: compiles hot loops for several instruction sets; the loader picks the best one.
//
// A function marked POLYTOMY_MULTIVERSION is compiled for AVX2 as well as for plain x86-64. The marked loops only add,
// multiply, divide, and take roots and minima element by element, and nothing is contracted into fused operations, so
// all versions give the same bits. On other platforms (arm64, other systems, sanitizers) the macro is empty.
#pragma once

#include <cstdlib>  // defines __GLIBC__ on systems with glibc

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define POLYTOMY_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#define POLYTOMY_WIDE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))  // for long arithmetic only
#else
#define POLYTOMY_MULTIVERSION
#define POLYTOMY_WIDE_CLONES
#endif

// For functions called from such a loop: they must be inlined to be compiled for the same instruction set.
#define POLYTOMY_INLINE [[gnu::always_inline]] inline
