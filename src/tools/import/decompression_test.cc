#include <fstream>
#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

#include <gtest/gtest.h>

#include "tools/import/test_support.h"

namespace orrery::tools {
namespace decompression_test {

using testing::HasSubstr;

std::string gzip(const std::string& text) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, text.size()), '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

// With a checksum, as the command line tool writes it.
std::string zstd(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
    ZSTD_freeCCtx(context);
    return out;
}

std::string unpacked(const std::string& data, std::size_t piece) {
    auto source = std::make_unique<TextSource>(data, piece);
    const bool is_gzip = data.starts_with("\x1f");
    const auto plain =
        is_gzip ? decompress_gzip(std::move(source)) : decompress_zstd(std::move(source));
    return read_all(*plain);
}

std::string sample() {
    std::string out;
    for (int i = 0; i < 20'000; ++i) {
        out += "line " + std::to_string(i * 7919 % 10'007) + "\n";
    }
    return out + std::string(300'000, 'x');
}

TEST(DecompressionTest, UnpacksStreams) {
    const std::string text = sample();
    for (const auto pack : {gzip, zstd}) {
        for (const std::size_t piece : {1, 1000, 1'000'000}) {
            EXPECT_EQ(unpacked(pack(text), piece), text);
            EXPECT_EQ(unpacked(pack("a") + pack("") + pack("b"), piece), "ab");
        }
    }
}

TEST(DecompressionTest, NoticesDamage) {
    for (const auto pack : {gzip, zstd}) {
        const std::string packed = pack(sample());
        EXPECT_THAT(unpacked(packed.substr(0, packed.size() - 1), 1000),
                    HasSubstr("it ends early"));
        EXPECT_THAT(unpacked(packed + "trailing", 1000), HasSubstr("is damaged"));
        std::string damaged = packed;
        for (std::size_t at = 100; at < 140; ++at) {
            damaged[at] = '\xff';
        }
        EXPECT_THAT(unpacked(damaged, 1000), HasSubstr("is damaged"));
    }
}

TEST(DecompressionTest, SourcesAreRecognizedByTheirFirstBytes) {
    const std::string path = testing::TempDir() + "orrery-import-source";
    const auto opened = [&](const std::string& content) {
        std::ofstream(path, std::ios::binary) << content;
        auto source = open_source(path, {});
        EXPECT_TRUE(source);
        std::string out = std::string(name_of(source->compression)) + ":";
        out += read_all(*source->bytes);
        EXPECT_EQ(*source->consumed, content.size());
        return out;
    };
    EXPECT_EQ(opened(gzip("text")), "gzip:text");
    EXPECT_EQ(opened(zstd("text")), "zstd:text");
    EXPECT_EQ(opened("text and more"), "none:text and more");
    EXPECT_EQ(opened("a"), "none:a");
    EXPECT_EQ(opened(""), "none:");
    std::remove(path.c_str());
    EXPECT_FALSE(open_source(path, {}));
}

}  // namespace decompression_test
}  // namespace orrery::tools
