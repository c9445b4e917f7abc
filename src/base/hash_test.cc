#include "base/hash.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace orrery {
namespace hash_test {

std::string hex(const Sha256Digest& digest) { return to_hex_upper(as_bytes(digest)); }

std::string hex(Hash128 hash) {
    std::string bytes;
    append_big_endian(bytes, hash.h1);
    append_big_endian(bytes, hash.h2);
    return to_hex_upper(bytes);
}

// Published results of the reference implementation (SMHasher, and the 32-bit ones as listed on
// Wikipedia's MurmurHash page).
TEST(Murmur3, X86_32_reference_values) {
    EXPECT_EQ(murmur3_x86_32("", 0), 0U);
    EXPECT_EQ(murmur3_x86_32("", 1), 0x514e28b7U);
    EXPECT_EQ(murmur3_x86_32("", 0xffffffffU), 0x81f16f39U);
    EXPECT_EQ(murmur3_x86_32("test", 0), 0xba6bd213U);
    EXPECT_EQ(murmur3_x86_32("test", 0x9747b28cU), 0x704b81dcU);
    EXPECT_EQ(murmur3_x86_32("Hello, world!", 0), 0xc0363e43U);
    EXPECT_EQ(murmur3_x86_32("The quick brown fox jumps over the lazy dog", 0x9747b28cU),
              0x2fa826cdU);
}

TEST(Murmur3, X64_128_reference_values) {
    EXPECT_EQ(hex(murmur3_x64_128("", 0)), "00000000000000000000000000000000");
    EXPECT_EQ(hex(murmur3_x64_128("hello", 0)), "CBD8A7B341BD9B025B1E906A48AE1D19");
    EXPECT_EQ(hex(murmur3_x64_128("The quick brown fox jumps over the lazy dog", 0)),
              "E34BBC7BBC071B6C7A433CA9C49A9347");
}

// From the SDKs' unit tests: the partition key [5, "redmond", true, null], which has one component
// more than a container may define. Their key is the hash reversed, top two bits cleared.
TEST(Murmur3, X64_128_of_an_sdk_vector) {
    using namespace std::string_literals;
    const std::string key = "\x05\0\0\0\0\0\0\x14\x40"s + "\x08redmond\xff" + "\x03\x01";
    const Hash128 hash = murmur3_x64_128(key, 0);
    EXPECT_EQ(hex(Hash128{hash.h2 & 0x3FFFFFFFFFFFFFFF, hash.h1}),
              "3032DECBE2AB1768D8E0AEDEA35881DF");
}

// The verification value of SMHasher: hashes of every prefix of 00 01 02 … with falling seeds,
// hashed again. It passes through every tail length and 16 blocks.
TEST(Murmur3, SmhasherVerification) {
    std::string key;
    std::string hashes32;
    std::string hashes128;
    const auto append_little_endian = [](std::string& out, auto value) {
        out.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    for (std::uint32_t i = 0; i < 256; ++i) {
        append_little_endian(hashes32, murmur3_x86_32(key, 256 - i));
        const Hash128 hash = murmur3_x64_128(key, 256 - i);
        append_little_endian(hashes128, hash.h1);
        append_little_endian(hashes128, hash.h2);
        key += static_cast<char>(i);
    }
    EXPECT_EQ(murmur3_x86_32(hashes32, 0), 0xB0F57EE3U);
    EXPECT_EQ(static_cast<std::uint32_t>(murmur3_x64_128(hashes128, 0).h1), 0x6384BA69U);
}

// FIPS 180-4 examples.
TEST(Sha256, StandardExamples) {
    EXPECT_EQ(hex(sha256("")), "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855");
    EXPECT_EQ(hex(sha256("abc")),
              "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD");
    EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248D6A61D20638B8E5C026930C3E6039A33CE45964FF2167F6ECEDD419DB06C1");
}

// RFC 4231 test cases 1, 2, 6 (a key longer than a block) and 7.
TEST(HmacSha256, Rfc4231) {
    EXPECT_EQ(hex(HmacSha256Key(std::string(20, '\x0b')).sign("Hi There")),
              "B0344C61D8DB38535CA8AFCEAF0BF12B881DC200C9833DA726E9376C2E32CFF7");
    EXPECT_EQ(hex(HmacSha256Key("Jefe").sign("what do ya want for nothing?")),
              "5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843");
    const HmacSha256Key long_key(std::string(131, '\xaa'));
    EXPECT_EQ(hex(long_key.sign("Test Using Larger Than Block-Size Key - Hash Key First")),
              "60E431591EE0B67F0D8A26AACBF5B77F8E0BC6213728C5140546040F0EE37F54");
    EXPECT_EQ(hex(long_key.sign("This is a test using a larger than block-size key and a larger "
                                "than block-size data. The key needs to be hashed before being "
                                "used by the HMAC algorithm.")),
              "9B09FFA71B942FCB27635FBCD5B0E944BFDC63644F0713938A7F51535C3A35E2");
}

TEST(HmacSha256, OneKeySignsManyTextsAndMoves) {
    HmacSha256Key key("Jefe");
    const Sha256Digest first = key.sign("a");
    EXPECT_NE(key.sign("b"), first);
    EXPECT_EQ(key.sign("a"), first);
    const HmacSha256Key moved(std::move(key));
    EXPECT_EQ(moved.sign("a"), first);
}

TEST(HmacSha256, ThreadsShareOneKey) {
    const HmacSha256Key key("shared");
    std::vector<Sha256Digest> expected;
    expected.reserve(200);
    for (int i = 0; i < 200; ++i) {
        expected.push_back(key.sign(std::to_string(i)));
    }
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    threads.reserve(wrong.size());
    for (int& count : wrong) {
        threads.emplace_back([&] {
            for (std::size_t i = 0; i < expected.size(); ++i) {
                count += key.sign(std::to_string(i)) != expected[i];
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace hash_test
}  // namespace orrery
