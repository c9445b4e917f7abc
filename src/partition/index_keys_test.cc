#include "partition/index_keys.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "index/value_encoding.h"
#include "model/resource_id.h"

namespace orrery::partition {
namespace index_keys_test {

// On disk: these bytes must never change.
TEST(IndexKeys, WorkedExamples) {
    std::string key = term_prefix(1, 3);
    index::encode_number(key, 10);
    append_index_docnum(key, 7);
    EXPECT_EQ(to_hex_upper(key),
              "490103"
              "05C024"
              "0007");
    EXPECT_EQ(to_hex_upper(composite_prefix(2, 0)), "430200");
    EXPECT_EQ(to_hex_upper(shape_prefix(255, 300)), "53FF812C");
    EXPECT_EQ(to_hex_upper(path_name_key(1,
                                         std::string("\x02"
                                                     "a\0\x02"
                                                     "b",
                                                     5))),
              "4E01010261000262");
    EXPECT_EQ(to_hex_upper(shape_name_key(1, 2)), "4E010202");
    EXPECT_EQ(to_hex_upper(unlisted_key(1)), "4E0103");
    EXPECT_EQ(index_state_key(), "MI");
    EXPECT_EQ(index_position_key(), "MP");
}

TEST(IndexKeys, DocnumsSortAndReadBack) {
    std::string last;
    for (const Docnum range : {Docnum{0}, Docnum{1}, Docnum{127}, Docnum{128}, Docnum{1} << 19}) {
        for (const Docnum counter :
             {Docnum{0}, Docnum{1}, Docnum{127}, Docnum{128}, (Docnum{1} << 40) - 1}) {
            const Docnum docnum = range << model::kItemCounterBits | counter;
            std::string bytes;
            append_index_docnum(bytes, docnum);
            EXPECT_EQ(index_docnum(bytes), docnum);
            EXPECT_EQ(index_docnum(bytes + "x"), std::nullopt);
            EXPECT_EQ(index_docnum(bytes.substr(1)), std::nullopt);
            EXPECT_LT(last, bytes);
            last = bytes;
        }
    }
    EXPECT_EQ(index_docnum(""), std::nullopt);
}

TEST(IndexKeys, RangesCoverOneGeneration) {
    const storage::Range paths = path_names_of(1);
    EXPECT_LE(paths.from, path_name_key(1, ""));
    EXPECT_LT(path_name_key(1, "\xff\xff"), *paths.until);
    EXPECT_LE(*paths.until, shape_name_key(1, 0));
    const storage::Range last = keys_with(index_prefix('I', 255));
    EXPECT_LT(term_prefix(255, 1'000'000), *last.until);
    EXPECT_EQ(*last.until, "J");
}

}  // namespace index_keys_test
}  // namespace orrery::partition
