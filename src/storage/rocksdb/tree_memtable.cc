#include "storage/rocksdb/tree_memtable.h"

#include <memory>
#include <new>

#include "storage/rocksdb/entry_tree.h"

namespace rocksdb {

// Not in RocksDB's public headers, although a memtable needs it: iterators have to be allocated
// from the arena they are given. Declared as far as it is used; a change of the function would not
// link.
class Arena {
public:
    // NOLINTNEXTLINE(readability-identifier-naming): RocksDB's name
    char* AllocateAligned(std::size_t bytes, std::size_t huge_page_size, Logger* logger);
};

}  // namespace rocksdb

namespace orrery::storage {

namespace {

class TreeIterator : public rocksdb::MemTableRep::Iterator {
public:
    explicit TreeIterator(const EntryTree& tree) : cursor_(tree) {}

    bool Valid() const override { return cursor_.valid(); }
    const char* key() const override { return cursor_.entry(); }
    void Next() override { cursor_.next(); }
    void Prev() override { cursor_.previous(); }
    void Seek(const rocksdb::Slice& internal_key, const char* memtable_key) override {
        cursor_.seek(internal_key_of(internal_key, memtable_key));
    }
    void SeekForPrev(const rocksdb::Slice& internal_key, const char* memtable_key) override {
        cursor_.seek_back(internal_key_of(internal_key, memtable_key));
    }
    void SeekToFirst() override { cursor_.to_first(); }
    void SeekToLast() override { cursor_.to_last(); }

private:
    // The key comes in either form.
    static std::string_view internal_key_of(const rocksdb::Slice& internal_key,
                                            const char* memtable_key) {
        if (memtable_key == nullptr) return internal_key.ToStringView();
        return rocksdb::GetLengthPrefixedSlice(memtable_key).ToStringView();
    }

    EntryTree::Cursor cursor_;
};

// RocksDB's Get() asks for an iterator without an arena and leaves it behind. There is one for each
// thread, used again and again; deleting it does nothing.
class SharedIterator final : public TreeIterator {
public:
    using TreeIterator::TreeIterator;

    static SharedIterator* of_thread(const EntryTree& tree) {
        alignas(SharedIterator) static thread_local std::byte space[sizeof(SharedIterator)];
        return new (space) SharedIterator(tree);
    }

    static void* operator new(std::size_t /*size*/, void* at) { return at; }
    static void operator delete(void* /*self*/) {}
};

class TreeMemtable final : public rocksdb::MemTableRep {
public:
    explicit TreeMemtable(rocksdb::Allocator* allocator)
        : MemTableRep(allocator), tree_([this](std::size_t bytes) {
              char* at = nullptr;
              Allocate(bytes, &at);
              return at;
          }) {}

    void Insert(rocksdb::KeyHandle handle) override { tree_.insert(static_cast<char*>(handle)); }
    bool Contains(const char* key) const override { return tree_.contains(key); }
    std::size_t ApproximateMemoryUsage() override { return 0; }  // all of it is the allocator's

    Iterator* GetIterator(rocksdb::Arena* arena) override {
        if (arena == nullptr) return std::make_unique<TreeIterator>(tree_).release();
        return new (arena->AllocateAligned(sizeof(TreeIterator), 0, nullptr)) TreeIterator(tree_);
    }
    Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override {
        return arena == nullptr ? SharedIterator::of_thread(tree_) : GetIterator(arena);
    }

private:
    EntryTree tree_;
};

class TreeMemtables final : public rocksdb::MemTableRepFactory {
public:
    const char* Name() const override { return "orrery.TreeMemtables"; }

    rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator& /*order*/,
                                            rocksdb::Allocator* allocator,
                                            const rocksdb::SliceTransform* /*prefixes*/,
                                            rocksdb::Logger* /*logger*/) override {
        return std::make_unique<TreeMemtable>(allocator).release();
    }
    using MemTableRepFactory::CreateMemTableRep;
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> make_tree_memtables() {
    return std::make_shared<TreeMemtables>();
}

}  // namespace orrery::storage
