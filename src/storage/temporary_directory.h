// A directory for one test, removed when the test ends. Tests only.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/check.h"

namespace orrery::storage {

class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
        CHECK(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace orrery::storage
