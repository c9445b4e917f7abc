// The bytes of an input: a file or standard input, decompressed if they are gzip or zstd, which
// their first bytes tell. Read piece by piece, so memory does not depend on the size.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::tools {

class ByteSource {
public:
    virtual ~ByteSource() = default;

    // Reads as much as there is, 0 bytes only at the end. kTimeout: it was to end.
    virtual Result<std::size_t> read(std::span<char> into) = 0;
};

struct SourceOptions {
    // Asked now and then while a read waits: whether to end it.
    std::function<bool()> ended = {};
    // Called before a read that has to wait, as from a pipe.
    std::function<void()> before_waiting = {};
};

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };
std::string_view name_of(Compression compression);

struct OpenedSource {
    std::unique_ptr<ByteSource> bytes;
    Compression compression = Compression::kNone;
    // How much of the file has been read, for progress. Lives as long as `bytes`.
    const std::uint64_t* consumed = nullptr;
};

// "-" is standard input. kNotFound: the file cannot be opened.
Result<OpenedSource> open_source(const std::string& path, const SourceOptions& options);

// Decompressors. Data that ends early is kBadRequest; several streams in a row are one.
std::unique_ptr<ByteSource> decompress_gzip(std::unique_ptr<ByteSource> compressed);
std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed);

}  // namespace orrery::tools
