#include "model/partition_key.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace orrery::model {
namespace partition_key_test {

using Component = PartitionKeyValue::Component;
using Undefined = PartitionKeyValue::Undefined;
using Null = PartitionKeyValue::Null;
using namespace std::string_literals;

TEST(PartitionKeyValue, EncodingIsAsDocumented) {
    const PartitionKeyValue key{"ab"s, 1.0, Undefined{}};
    EXPECT_EQ(to_hex_upper(key.encode()),
              "08026162"
              "053FF0000000000000"
              "00");
    EXPECT_EQ(to_hex_upper(PartitionKeyValue{Null{}, false, true}.encode()), "010203");
    EXPECT_EQ(PartitionKeyValue{}.encode(), "");
    EXPECT_EQ(to_hex_upper(PartitionKeyValue{std::string(300, 'x')}.encode()).substr(0, 8),
              "08AC0278");
}

TEST(PartitionKeyValue, AppendEncodedKeepsExistingContent) {
    std::string out = "k";
    PartitionKeyValue{true}.append_encoded(out);
    EXPECT_EQ(out, "k\x03");
}

TEST(PartitionKeyValue, DecodesWhatItEncodes) {
    const PartitionKeyValue keys[] = {
        {},
        {Undefined{}},
        {Null{}, true, false},
        {0.0, -1.5, 5e-324},
        {std::numeric_limits<double>::max()},
        {""s, "a\0b"s, "\U0001F600"s},
        {std::string(2048, 'x')},
    };
    for (const PartitionKeyValue& key : keys) {
        const Result<PartitionKeyValue> decoded = PartitionKeyValue::decode(key.encode());
        ASSERT_TRUE(decoded) << key.to_json();
        EXPECT_EQ(*decoded, key) << key.to_json();
    }
}

TEST(PartitionKeyValue, EqualExactlyWhenTheEncodingsAre) {
    const PartitionKeyValue keys[] = {{},
                                      {Undefined{}},
                                      {Null{}},
                                      {false},
                                      {true},
                                      {0.0},
                                      {1.0},
                                      {""s},
                                      {"0"s},
                                      {""s, ""s},
                                      {Undefined{}, Undefined{}}};
    for (const PartitionKeyValue& a : keys) {
        for (const PartitionKeyValue& b : keys) {
            EXPECT_EQ(a == b, &a == &b) << a.to_json() << b.to_json();
            EXPECT_EQ(a == b, a.encode() == b.encode());
        }
    }
    EXPECT_EQ(PartitionKeyValue{-0.0}, PartitionKeyValue{0.0});
    EXPECT_EQ(PartitionKeyValue{-0.0}.encode(), PartitionKeyValue{0.0}.encode());
}

TEST(PartitionKeyValue, DamagedBytesAreCorrupted) {
    for (const std::string& bytes : {"\x04"s,  // unknown tags
                                     "\x06"s,
                                     "\xFF"s,
                                     "\x08"s,  // truncated
                                     "\x08\x02"
                                     "a"s,
                                     "\x05\x3f\xf0\0\0\0\0\0"s,
                                     "\x00\x01\x02\x03"s,  // four components
                                     "\x08\x81\x00"
                                     "a"s,                         // 1 in two varint bytes
                                     "\x08\x01\xFF"s,              // not UTF-8
                                     "\x05\x80\0\0\0\0\0\0\0"s,    // -0
                                     "\x05\x7f\xf0\0\0\0\0\0\0"s,  // infinity
                                     "\x05\x7f\xf8\0\0\0\0\0\0"s,  // NaN
                                     "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s}) {
        const Result<PartitionKeyValue> decoded = PartitionKeyValue::decode(bytes);
        ASSERT_FALSE(decoded) << to_hex_upper(bytes);
        EXPECT_EQ(decoded.error().code(), ErrorCode::kCorrupted);
    }
}

TEST(PartitionKeyValue, PrintsAsciiJson) {
    EXPECT_EQ(PartitionKeyValue{}.to_json(), "[]");
    EXPECT_EQ((PartitionKeyValue{Undefined{}, Null{}, true}.to_json()), "[{},null,true]");
    EXPECT_EQ((PartitionKeyValue{5.0, -0.0, 0.1}.to_json()), "[5,0,0.1]");
    EXPECT_EQ((PartitionKeyValue{1e300, 5e-324, 9007199254740993.0}.to_json()),
              "[1e+300,5e-324,9007199254740992]");
    EXPECT_EQ(PartitionKeyValue{"a\"\\/\n\x7f\u00e9\U0001F600"s}.to_json(),
              R"(["a\"\\/\u000a\u007f\u00e9\ud83d\ude00"])");
}

TEST(PartitionKeyValue, OnlyLongStringsExceedTheLimit) {
    EXPECT_TRUE((PartitionKeyValue{std::string(2048, 'x'), 5.0}.within_limits()));
    const Status over = PartitionKeyValue{true, std::string(2049, 'x')}.within_limits();
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error().code(), ErrorCode::kBadRequest);
}

}  // namespace partition_key_test
}  // namespace orrery::model
