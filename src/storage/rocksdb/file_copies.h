// Copies and modifies the files of a database on any file system. Tests only.

#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/file_system.h>

#include "base/check.h"
#include "storage/rocksdb/rocks_directory.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::storage {

// The files of a directory, name to content: what remains of a database when its process stops.
using FileCopies = std::map<std::string, std::string>;

inline FileCopies copy_files(rocksdb::FileSystem& from, const std::string& path) {
    std::vector<std::string> names;
    CHECK(from.GetChildren(path, rocksdb::IOOptions(), &names, nullptr).ok());
    FileCopies copies;
    for (const std::string& name : names) {
        if (name == "LOCK") continue;
        CHECK(rocksdb::ReadFileToString(&from, file_in(path, name), &copies[name]).ok());
    }
    return copies;
}

// A new in-memory file system with only these files in `path`.
inline std::shared_ptr<rocksdb::FileSystem> file_system_with(const FileCopies& copies,
                                                             const std::string& path) {
    auto made = make_memory_file_system();
    CHECK(made->CreateDirIfMissing(path, rocksdb::IOOptions(), nullptr).ok());
    for (const auto& [name, content] : copies) {
        CHECK(rocksdb::WriteStringToFile(made.get(), content, file_in(path, name), true).ok());
    }
    return made;
}

// The files whose names contain `part`, oldest first.
inline std::vector<std::string> names_with(const FileCopies& copies, std::string_view part) {
    std::vector<std::string> names;
    for (const auto& [name, content] : copies) {
        if (name.find(part) != std::string::npos) names.push_back(name);
    }
    return names;
}

}  // namespace orrery::storage
