// For data that every request reads and that hardly ever changes: reading it writes to no cache
// line that another core reads or writes, so readers on many cores do not slow each other down.
// Changing it is slow.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace orrery {

constexpr std::size_t kCacheLine = 64;

// Threads beyond this number share slots with others. ThreadSanitizer knows up to 64 locks that a
// thread holds at once.
constexpr std::size_t kReadSlots = 32;

// The slot of the calling thread, which never changes.
std::size_t read_slot();

// A shared mutex for std::shared_lock and std::unique_lock. Readers lock only their own slot, so
// they must unlock on the same thread.
class ReadMostlyMutex {
public:
    void lock_shared() { slots_[read_slot()].mutex.lock_shared(); }
    void unlock_shared() { slots_[read_slot()].mutex.unlock_shared(); }
    void lock() {
        for (Slot& slot : slots_)
            slot.mutex.lock();
    }
    void unlock() {
        for (Slot& slot : slots_)
            slot.mutex.unlock();
    }

private:
    struct alignas(kCacheLine) Slot {
        std::shared_mutex mutex;
    };
    std::array<Slot, kReadSlots> slots_;
};

// Points to the same object, with a reference count of its own that stands for one reference of
// `original`.
template <typename T>
std::shared_ptr<T> with_own_count(std::shared_ptr<T> original) {
    T* const object = original.get();
    return {std::make_shared<std::shared_ptr<T>>(std::move(original)), object};
}

// A shared pointer that can be replaced. Copying it counts references per slot.
template <typename T>
class ReadMostlyPointer {
public:
    explicit ReadMostlyPointer(std::shared_ptr<T> value) { store(std::move(value)); }

    std::shared_ptr<T> load() const {
        const Slot& slot = slots_[read_slot()];
        const std::shared_lock lock(slot.mutex);
        return slot.value;
    }

    void store(std::shared_ptr<T> value) {
        for (Slot& slot : slots_) {
            std::shared_ptr<T> copy = with_own_count(value);
            const std::unique_lock lock(slot.mutex);
            slot.value.swap(copy);
        }
    }

private:
    struct alignas(kCacheLine) Slot {
        mutable std::shared_mutex mutex;
        std::shared_ptr<T> value;
    };
    std::array<Slot, kReadSlots> slots_;
};

}  // namespace orrery
