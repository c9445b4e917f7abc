// The item of 1 KB that creates write: about a dozen indexed values, different in every item, and
// letters that compress poorly, like real data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace orrery::bench {

inline constexpr std::size_t kItemBytes = 1024;
inline constexpr std::uint64_t kSeed = 20251115;

// All ids have the same length, and so do all items.
inline std::string item_id(std::uint64_t number) { return fmt::format("item-{:010}", number); }

inline std::string item_letters(std::size_t count) {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::mt19937_64 random(kSeed);
    std::string letters;
    while (letters.size() < count) {
        letters += kLetters[random() % kLetters.size()];
    }
    return letters;
}

inline std::string item_body(std::uint64_t number) {
    static const std::string letters = item_letters(kItemBytes);
    std::uint64_t mixed = number * 0x9e3779b97f4a7c15ULL;  // pseudo-random
    mixed ^= mixed >> 32;
    std::string body = fmt::format(
        R"({{"id":"item-{:010}","pk":"item-{:010}","count":{},"price":{}.25,"rating":{},)"
        R"("status":"{}","category":"category-{:03}","created":{},)"
        R"("customer":{{"name":"customer-{:06}","city":"city-{:02}"}},"payload":"{:016x})",
        number,
        number,
        100 + mixed % 900,
        1000 + mixed / 7 % 9000,
        1 + mixed % 5,
        mixed % 3 == 0 ? "open" : "done",
        mixed / 11 % 1000,
        1'700'000'000 + mixed % 100'000'000,
        mixed / 13 % 1'000'000,
        mixed / 17 % 100,
        mixed);
    body.append(letters, 0, kItemBytes - body.size() - 2);
    return body.append("\"}");
}

}  // namespace orrery::bench
