// Checks the replay of the write-ahead logs: RocksDB numbers all changes, so a gap means that a
// record, a block or a whole log is missing. RocksDB 7.8 does not check this.

#pragma once

#include <cstdint>
#include <string>

#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

namespace orrery::storage {

class WalContinuity final : public rocksdb::WalFilter {
public:
    const char* Name() const override { return "OrreryWalContinuity"; }

    WalProcessingOption LogRecord(const rocksdb::WriteBatch& batch,
                                  rocksdb::WriteBatch* /*new_batch*/,
                                  bool* /*batch_changed*/) const override {
        // A batch begins with the number of its first change, eight bytes little endian.
        std::uint64_t sequence = 0;
        const std::string& bytes = batch.Data();
        for (std::size_t i = sizeof(sequence); i > 0; --i) {
            sequence = sequence << 8 | static_cast<unsigned char>(bytes[i - 1]);
        }
        const bool gap = next_ != 0 && sequence != next_;
        next_ = sequence + batch.Count();
        return gap ? WalProcessingOption::kCorruptedRecord
                   : WalProcessingOption::kContinueProcessing;
    }

private:
    // RocksDB calls this const method from one thread, before open() returns.
    mutable std::uint64_t next_ = 0;
};

}  // namespace orrery::storage
