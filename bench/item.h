// The items of 1 KB that benchmarks write: a dozen or more indexed values, different in every item,
// and letters that hardly compress.

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

// Letters without repetition within the reach of a compressor of blocks.
inline std::string_view item_letters(std::uint64_t random, std::size_t count) {
    static constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    constexpr std::size_t kMany = std::size_t{1} << 20;
    static const std::string all = [] {
        std::mt19937_64 next(kSeed);
        std::string letters;
        while (letters.size() < kMany + kItemBytes) {
            letters += kLetters[next() % kLetters.size()];
        }
        return letters;
    }();
    return std::string_view(all).substr(random % kMany, count);
}

inline std::string item_body(std::uint64_t number) {
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
    body.append(item_letters(mixed, kItemBytes - body.size() - 2));
    return body.append("\"}");
}

// For queries: 15 values of high and low cardinality; ten consecutive items form a group. Another
// revision of an item has other values but for its id and group.
inline std::string varied_body(std::uint64_t number, std::uint64_t revision = 0) {
    constexpr std::string_view kTypes[] = {"book", "review", "author", "order"};
    const std::uint64_t mixed = (number + (revision << 40)) * 0x9E3779B97F4A7C15;
    std::string body = fmt::format(
        R"({{"id":"{0}","pk":"{0}","n":{1},"group":"g-{2}","city":"city-{3}","type":"{4}",)"
        R"("price":{5}.25,"rank":{6},"active":{7},"name":"name {8:x}","tags":["t{9}","t{10}"],)"
        R"("address":{{"street":"s{11}","zip":{12}}},"payload":")",
        item_id(number),
        number,
        number / 10,
        mixed >> 40 & 1023,
        kTypes[mixed >> 20 & 3],
        mixed >> 30 & 0xfff,
        mixed >> 24,
        mixed >> 63 == 0,
        mixed >> 13 & 0xffffffff,
        mixed >> 10 & 63,
        mixed >> 16 & 63,
        mixed >> 5 & 0xffff,
        mixed >> 7 & 0x3fff);
    body.append(item_letters(mixed, kItemBytes - body.size() - 2));
    return body.append("\"}");
}

// Replaces "$N" by the number, "$ID" by the id of the item, "$BODY" by another revision of it.
inline std::string filled_in(std::string text, std::uint64_t number) {
    const auto replace = [&](std::string_view name, const std::string& value) {
        for (std::size_t at = text.find(name); at != std::string::npos;
             at = text.find(name, at + value.size())) {
            text.replace(at, name.size(), value);
        }
    };
    replace("$N", std::to_string(number));
    replace("$ID", item_id(number));
    if (text == "$BODY") return varied_body(number, 1);
    return text;
}

}  // namespace orrery::bench
