// SPDX-License-Identifier: Apache-2.0
//
// Bytes that the peer must not see: where they come from, how they are compared, and that they are wiped when their owner
// goes. A secret moves and is never copied, so one place wipes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace cordon::engine {

// Overwrites memory; the compiler does not leave it out.
void WipeMemory(void* memory, std::size_t size);

// Takes the same time wherever the bytes differ. Different sizes are different.
bool SameBytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

// Fills the span with random bytes. Secrets are drawn through one of these instead of Random, because it leaves no key in
// memory from which they could be drawn again.
using ByteSource = std::function<void(std::span<std::uint8_t>)>;
ByteSource OperatingSystemBytes();

template <typename T>
class Secret {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Secret() = default;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  Secret(Secret&& other) noexcept : value_(other.value_) { other.Wipe(); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      value_ = other.value_;
      other.Wipe();
    }
    return *this;
  }
  ~Secret() { Wipe(); }

  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  void Wipe() { WipeMemory(&value_, sizeof value_); }

  T value_{};
};

// Wipes what it gives back, also what a vector leaves behind when it grows.
template <typename T>
struct WipingAllocator {
  using value_type = T;
  WipingAllocator() = default;
  template <typename U>
  WipingAllocator(const WipingAllocator<U>&) {}  // NOLINT: as the standard asks of allocators

  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) {
    WipeMemory(memory, count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }
};

template <typename T>
using SecretVector = std::vector<T, WipingAllocator<T>>;

}  // namespace cordon::engine
