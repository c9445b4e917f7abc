#include <array>
#include <zlib.h>
#include <zstd.h>

#include "base/check.h"
#include "tools/import/byte_source.h"

namespace orrery::tools {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

Error damaged(const std::string& what) {
    return Error(ErrorCode::kBadRequest, "the compressed data is damaged: " + what);
}

class GzipSource final : public ByteSource {
public:
    explicit GzipSource(std::unique_ptr<ByteSource> compressed)
        : compressed_(std::move(compressed)) {
        constexpr int kGzipOnly = 16;
        CHECK(inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK);
    }
    GzipSource(const GzipSource&) = delete;
    GzipSource& operator=(const GzipSource&) = delete;
    ~GzipSource() override { inflateEnd(&stream_); }

    Result<std::size_t> read(std::span<char> into) override {
        stream_.next_out = reinterpret_cast<Bytef*>(into.data());
        stream_.avail_out = static_cast<uInt>(into.size());
        while (stream_.avail_out == into.size()) {
            if (stream_.avail_in == 0 && !TRY(refill())) {
                if (inside_) return damaged("it ends early");
                return std::size_t{0};
            }
            if (!inside_) {
                inflateReset(&stream_);
                inside_ = true;
            }
            const int outcome = inflate(&stream_, Z_NO_FLUSH);
            if (outcome == Z_STREAM_END) {
                inside_ = false;
            } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
                return damaged(stream_.msg != nullptr ? stream_.msg : "not gzip");
            }
        }
        return into.size() - stream_.avail_out;
    }

private:
    Result<bool> refill() {
        const std::size_t got = TRY(compressed_->read(piece_));
        stream_.next_in = reinterpret_cast<Bytef*>(piece_.data());
        stream_.avail_in = static_cast<uInt>(got);
        return got > 0;
    }

    const std::unique_ptr<ByteSource> compressed_;
    std::array<char, kPieceBytes> piece_;
    z_stream stream_{};
    bool inside_ = false;  // of a member of the file
};

class ZstdSource final : public ByteSource {
public:
    explicit ZstdSource(std::unique_ptr<ByteSource> compressed)
        : compressed_(std::move(compressed)), stream_(ZSTD_createDStream()) {
        CHECK(stream_ != nullptr);
    }
    ZstdSource(const ZstdSource&) = delete;
    ZstdSource& operator=(const ZstdSource&) = delete;
    ~ZstdSource() override { ZSTD_freeDStream(stream_); }

    Result<std::size_t> read(std::span<char> into) override {
        ZSTD_outBuffer out{.dst = into.data(), .size = into.size(), .pos = 0};
        while (out.pos == 0) {
            if (in_.pos == in_.size && !full_ && !TRY(refill())) {
                if (inside_) return damaged("it ends early");
                return std::size_t{0};
            }
            const std::size_t outcome = ZSTD_decompressStream(stream_, &out, &in_);
            if (ZSTD_isError(outcome) != 0) return damaged(ZSTD_getErrorName(outcome));
            inside_ = outcome != 0;
            full_ = inside_ && out.pos == out.size;  // there may be more without more input
        }
        return out.pos;
    }

private:
    Result<bool> refill() {
        in_ = {.src = piece_.data(), .size = TRY(compressed_->read(piece_)), .pos = 0};
        return in_.size > 0;
    }

    const std::unique_ptr<ByteSource> compressed_;
    std::array<char, kPieceBytes> piece_;
    ZSTD_DStream* const stream_;
    ZSTD_inBuffer in_{};
    bool inside_ = false;  // of a frame
    bool full_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> decompress_gzip(std::unique_ptr<ByteSource> compressed) {
    return std::make_unique<GzipSource>(std::move(compressed));
}

std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed) {
    return std::make_unique<ZstdSource>(std::move(compressed));
}

}  // namespace orrery::tools
