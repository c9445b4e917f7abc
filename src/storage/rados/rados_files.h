// RocksDB's files on RADOS.
//
// A log (a write-ahead log or a manifest) is one object. What is appended to it is kept in memory
// until a sync writes it with one operation, so each sync is either on the medium or not. Any other
// file is cut into chunk objects, which are written in parallel, or kept in the directory if it is
// small.

#pragma once

#include <memory>
#include <string>

#include <rocksdb/file_system.h>

#include "base/metrics.h"
#include "storage/rados/rados_directory.h"

namespace orrery::storage {

rocksdb::IOStatus to_io_status(const Status& status);

// The log must have been created. `syncs` is told how long syncs take; null if they do not count.
std::unique_ptr<rocksdb::FSWritableFile> make_log_writer(std::shared_ptr<RadosDirectory> directory,
                                                         std::string name,
                                                         FileId id,
                                                         std::shared_ptr<metrics::Histogram> syncs);

std::unique_ptr<rocksdb::FSWritableFile> make_file_writer(std::shared_ptr<RadosDirectory> directory,
                                                          std::string name);

// Readers of a file of the directory of that name, which may have another owner.
std::unique_ptr<rocksdb::FSRandomAccessFile> make_random_reader(std::shared_ptr<RadosPool> pool,
                                                                std::string directory,
                                                                FileEntry entry);
std::unique_ptr<rocksdb::FSSequentialFile> make_sequential_reader(std::shared_ptr<RadosPool> pool,
                                                                  std::string directory,
                                                                  FileEntry entry);

}  // namespace orrery::storage
