// What is known about one backup, and its form on disk: the file that makes it one.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "storage/durable_engine.h"

namespace orrery::server {

// A small file of a data directory, such as a key.
struct SmallFile {
    std::string name;  // within the directory
    std::string content;
};

struct BackupRecord {
    std::int64_t begun_micros = 0;
    int data_format = 0;  // of the data directory
    storage::BackupOutcome outcome;
    std::vector<SmallFile> files;

    std::uint32_t id() const { return outcome.id; }
    // Whether its log begins where that of the other backup ends, so that every moment in between
    // can be restored.
    bool continues(const BackupRecord& other) const {
        return outcome.history == other.outcome.history &&
               outcome.log_after <= other.outcome.reached.position;
    }

    // For people and programs, without the files.
    json::Value description() const;

    // On disk (docs/storage-format.md).
    std::string encode() const;
    // kCorrupted if the text is not what encode() makes.
    static Result<BackupRecord> decode(std::string_view text);
};

}  // namespace orrery::server
