// cpp/base/large_array.hpp: an array of which a few large ones are kept, and which is read at random places.
//
// Its memory is not cleared, and large arrays ask the system for large pages: reading one row in twenty of 16 MB of small
// pages spends more time on finding the pages than on reading.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace polytomy {

template <class T>
class LargeArray {
    static_assert(std::is_trivial_v<T>);

 public:
    LargeArray() = default;
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;
    ~LargeArray() { free(); }

    // Make room for n elements; the former ones are lost if there was not.
    void resize(std::size_t n) {
        if (n > capacity_) {
            free();
            std::size_t bytes = n * sizeof(T);
            align_ = std::align_val_t{bytes < kPage ? kLine : kPage};
            if (bytes >= kPage) bytes = (bytes + kPage - 1) / kPage * kPage;
            data_ = static_cast<T*>(::operator new(bytes, align_));
            capacity_ = n;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
            if (bytes >= kPage) static_cast<void>(madvise(data_, bytes, MADV_HUGEPAGE));  // a hint, which a system may ignore
#endif
        }
        size_ = n;
    }
    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
    static constexpr std::size_t kLine = 64;
    static constexpr std::size_t kPage = std::size_t{1} << 21;

    void free() noexcept {
        if (data_ != nullptr) ::operator delete(data_, align_);
        data_ = nullptr;
        capacity_ = 0;
    }

    T* data_ = nullptr;
    std::align_val_t align_{kLine};
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace polytomy
