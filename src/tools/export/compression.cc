#include "tools/export/compression.h"

#include <array>
#include <zlib.h>
#include <zstd.h>

#include "base/check.h"

namespace orrery::tools {

namespace {

constexpr std::size_t kPackedBytes = std::size_t{64} << 10;

class GzipCompressor final : public Compressor {
public:
    GzipCompressor() {
        constexpr int kGzip = 16;
        constexpr int kMemoryLevel = 8;
        CHECK(deflateInit2(&stream_,
                           Z_DEFAULT_COMPRESSION,
                           Z_DEFLATED,
                           MAX_WBITS + kGzip,
                           kMemoryLevel,
                           Z_DEFAULT_STRATEGY) == Z_OK);
    }
    GzipCompressor(const GzipCompressor&) = delete;
    GzipCompressor& operator=(const GzipCompressor&) = delete;
    ~GzipCompressor() override { deflateEnd(&stream_); }

    void append(std::string_view text, std::string& out) override { run(text, Z_NO_FLUSH, out); }
    void end(std::string& out) override {
        run({}, Z_FINISH, out);
        CHECK(deflateReset(&stream_) == Z_OK);
    }

private:
    void run(std::string_view text, int flush, std::string& out) {
        // zlib does not write to its input, but its interface is older than const.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        stream_.avail_in = static_cast<uInt>(text.size());
        int outcome = Z_OK;
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
            stream_.avail_out = static_cast<uInt>(piece_.size());
            outcome = deflate(&stream_, flush);
            CHECK(outcome != Z_STREAM_ERROR);
            out.append(piece_.data(), piece_.size() - stream_.avail_out);
        } while (flush == Z_FINISH ? outcome != Z_STREAM_END : stream_.avail_out == 0);
    }

    z_stream stream_{};
    std::array<char, kPackedBytes> piece_;
};

class ZstdCompressor final : public Compressor {
public:
    ZstdCompressor() : stream_(ZSTD_createCCtx()) { CHECK(stream_ != nullptr); }
    ZstdCompressor(const ZstdCompressor&) = delete;
    ZstdCompressor& operator=(const ZstdCompressor&) = delete;
    ~ZstdCompressor() override { ZSTD_freeCCtx(stream_); }

    void append(std::string_view text, std::string& out) override {
        run(text, ZSTD_e_continue, out);
    }
    void end(std::string& out) override { run({}, ZSTD_e_end, out); }

private:
    void run(std::string_view text, ZSTD_EndDirective directive, std::string& out) {
        ZSTD_inBuffer in{.src = text.data(), .size = text.size(), .pos = 0};
        bool done = false;
        while (!done) {
            ZSTD_outBuffer piece{.dst = piece_.data(), .size = piece_.size(), .pos = 0};
            const std::size_t left = ZSTD_compressStream2(stream_, &piece, &in, directive);
            CHECK(ZSTD_isError(left) == 0);
            out.append(piece_.data(), piece.pos);
            done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
        }
    }

    ZSTD_CCtx* const stream_;
    std::array<char, kPackedBytes> piece_;
};

}  // namespace

std::unique_ptr<Compressor> make_compressor(Compression compression) {
    switch (compression) {
        case Compression::kGzip:
            return std::make_unique<GzipCompressor>();
        case Compression::kZstd:
            return std::make_unique<ZstdCompressor>();
        default:
            return nullptr;
    }
}

}  // namespace orrery::tools
