#include "storage/rocksdb/rocks_directory.h"

#include <memory>
#include <vector>

namespace orrery::storage {

std::string file_in(std::string path, std::string_view name) {
    path += '/';
    path += name;
    return path;
}

rocksdb::IOStatus sync_directory(rocksdb::FileSystem& file_system, const std::string& path) {
    const rocksdb::IOOptions options;
    std::unique_ptr<rocksdb::FSDirectory> directory;
    rocksdb::IOStatus status = file_system.NewDirectory(path, options, &directory, nullptr);
    if (status.ok()) status = directory->Fsync(options, nullptr);
    if (status.ok()) status = directory->Close(options, nullptr);
    return status;
}

std::uint64_t directory_bytes(rocksdb::FileSystem& file_system, const std::string& path) {
    const rocksdb::IOOptions options;
    std::vector<std::string> names;
    if (!file_system.GetChildren(path, options, &names, nullptr).ok()) return 0;
    std::uint64_t total = 0;
    for (const std::string& name : names) {
        std::uint64_t size = 0;
        if (file_system.GetFileSize(file_in(path, name), options, &size, nullptr).ok()) {
            total += size;
        }
    }
    return total;
}

}  // namespace orrery::storage
