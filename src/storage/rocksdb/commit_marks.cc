#include "storage/rocksdb/commit_marks.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "storage/rocksdb/rocks_status.h"

namespace orrery::storage {

namespace {

// On disk: this letter, then microseconds of Unix time (8 bytes, big endian). Never change.
constexpr char kMark = 'T';

// Finds the mark and ignores the changes.
class MarkReader final : public rocksdb::WriteBatch::Handler {
public:
    void LogData(const rocksdb::Slice& blob) override {
        ByteReader reader(blob.ToStringView());
        if (reader.take(1) != std::string_view(&kMark, 1)) return;
        const auto micros = reader.big_endian<std::int64_t>();
        if (reader.ok() && reader.rest().empty()) mark = micros;
    }
    rocksdb::Status PutCF(std::uint32_t /*family*/,
                          const rocksdb::Slice& /*key*/,
                          const rocksdb::Slice& /*value*/) override {
        return rocksdb::Status::OK();
    }
    rocksdb::Status DeleteCF(std::uint32_t /*family*/, const rocksdb::Slice& /*key*/) override {
        return rocksdb::Status::OK();
    }
    rocksdb::Status DeleteRangeCF(std::uint32_t /*family*/,
                                  const rocksdb::Slice& /*begin*/,
                                  const rocksdb::Slice& /*end*/) override {
        return rocksdb::Status::OK();
    }

    std::optional<std::int64_t> mark;
};

}  // namespace

std::int64_t CommitClock::next(std::uint64_t now_micros) {
    const std::lock_guard lock(mutex_);
    last_ = std::max(last_ + 1, static_cast<std::int64_t>(now_micros));
    return last_;
}

Status add_mark(rocksdb::WriteBatch& batch, std::int64_t micros) {
    std::string mark(1, kMark);
    append_big_endian(mark, micros);
    return to_status(batch.PutLogData(mark), "marking a commit");
}

Result<std::optional<std::int64_t>> mark_of(const rocksdb::WriteBatch& batch) {
    MarkReader reader;
    TRY(to_status(batch.Iterate(&reader), "reading a commit"));
    return reader.mark;
}

std::uint64_t position_of(const rocksdb::WriteBatch& batch) {
    return ByteReader(batch.Data()).little_endian<std::uint64_t>();
}

}  // namespace orrery::storage
