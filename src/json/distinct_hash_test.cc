#include "json/distinct_hash.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace orrery::json {
namespace distinct_hash_test {

std::string hash(std::string_view text) {
    std::string bytes;
    append_distinct_bytes(bytes, distinct_hash(text));
    EXPECT_EQ(distinct_hash_of_bytes(bytes), distinct_hash(text));
    // The SDK prints the number highest byte first, but compares from the lowest byte up.
    std::reverse(bytes.begin(), bytes.end());
    return to_hex_upper(bytes);
}

// azure-cosmos-dotnet-v3, DistinctHashBaselineTests.*.xml.
TEST(DistinctHash, AgreesWithTheSdk) {
    EXPECT_EQ(hash("null"), "898EFBF2680DAEA39E24D6AE6653417D");
    EXPECT_EQ(hash("false"), "6E88AA4242F017B7705F12581A61118F");
    EXPECT_EQ(hash("true"), "CD4D51AB869F071FF019C3E4A55C0125");
    EXPECT_EQ(hash(R"("")"), "A78446CF287029A585B395A161A2A9A1");
    EXPECT_EQ(hash(R"("asdfasdfasdfasdfasdfasdf")"), "8F124368401E0B91AD580CA542E035DB");
    EXPECT_EQ(hash("1234"), "A94BF61335C9FBA42C28D7D9895D1434");
    EXPECT_EQ(hash("[]"), "7D54F729FF4A63FFA2EF3CA359538082");
    EXPECT_EQ(hash("{}"), "14B86A60AA01A7381438743E80B965D8");
    EXPECT_EQ(hash("[null]"), "3E8E8C77472338352F80EA6235FB6E41");
    EXPECT_EQ(hash("[[]]"), "51667C83CA3C85E958EC39854AEE937C");
    EXPECT_EQ(hash("[{}]"), "E244686BA6F0955D4402C435A1CB5A28");
    EXPECT_EQ(hash("[1234]"), "CD00EF4185A0D7A329B7CD12CE7954F8");
    EXPECT_EQ(hash(R"({"prop":1234})"), "9B7CCCD51368EBABD9848C1D0F56DCAA");
    EXPECT_EQ(hash(R"({"prop":{}})"), "6E74776CB09FB1927E688A47BC64681A");
    EXPECT_EQ(hash(R"([null,false,true,1234,"asdfasdfasdfasdfasdfasdf"])"),
              "A9407916DE27F316CC5A8E4EB9AFD5E6");
    EXPECT_EQ(hash(R"({"null":null,"false":false,"true":true,"cosmosNumber":1234,)"
                   R"("cosmosString":"asdfasdfasdfasdfasdfasdf"})"),
              "3B6AA9F4F43AAEC0E48EBE2BC020D55C");
    EXPECT_EQ(hash(R"({"prop":[null,false,true,1234,"asdfasdfasdfasdfasdfasdf"]})"),
              "C1AA41CB08DEB168EF98714E1A7EFEC2");
}

TEST(DistinctHash, IsTheSameForEqualValues) {
    EXPECT_EQ(hash(R"({"a":1,"b":[2.0,"x"]})"), hash(R"({"b":[2,"\u0078"],"\u0061":1e0})"));
    EXPECT_EQ(hash("[-0.0]"), hash("[0]"));
    EXPECT_EQ(hash("9007199254740992"), hash("9007199254740992.0"));
}

TEST(DistinctHash, DistinguishesValues) {
    EXPECT_NE(hash("[1,2]"), hash("[2,1]"));
    EXPECT_NE(hash(R"({"a":1,"b":2})"), hash(R"({"a":2,"b":1})"));
    EXPECT_NE(hash("9007199254740993"), hash("9007199254740992"));
    EXPECT_NE(hash("-9223372036854775807"), hash("-9223372036854775808"));
    EXPECT_NE(hash(R"("1")"), hash("1"));
}

TEST(DistinctHash, DamagedTextHasSomeHash) {
    const std::string text = R"({"a":[1,"b\n",{"c":null}],"d":true})";
    for (std::size_t size = 0; size < text.size(); ++size) {
        hash(text.substr(0, size));
    }
    hash(std::string(100'000, '['));
    hash(R"({"a":)");
    hash("[x]");
}

}  // namespace distinct_hash_test
}  // namespace orrery::json
