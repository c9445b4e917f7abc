#include "tools/bench/placeholder.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "json/value.h"
#include "tools/bench/random_stream.h"

namespace orrery::tools::bench {

namespace {

constexpr std::size_t kTextLengthMax = 1'000'000;
// Doubles, and so items, are exact up to here.
constexpr std::int64_t kRandomMax = INT64_C(1) << 53;
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

std::vector<std::string_view> words_of(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    std::vector<std::string_view> out;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
        if (text.empty()) return out;
        const std::size_t end = std::min(text.find_first_of(kSpace), text.size());
        out.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

std::optional<std::int64_t> integer(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

Error bad(std::string problem) { return Error(ErrorCode::kBadRequest, std::move(problem)); }

Result<Placeholder> parse_random(const std::vector<std::string_view>& words) {
    const auto least = words.size() == 3 ? integer(words[1]) : std::nullopt;
    const auto most = words.size() == 3 ? integer(words[2]) : std::nullopt;
    const bool good =
        least && most && *least <= *most && *least >= -kRandomMax && *most <= kRandomMax;
    if (!good) return bad("{{random}} needs a least and a greatest integer, as {{random 1 100}}");
    Placeholder out;
    out.kind = Placeholder::Kind::kRandom;
    out.least = *least;
    out.most = *most;
    return out;
}

Result<Placeholder> parse_text(const std::vector<std::string_view>& words) {
    const auto length = words.size() == 2 ? integer(words[1]) : std::nullopt;
    if (!length || *length < 1 || *length > static_cast<std::int64_t>(kTextLengthMax)) {
        return bad("{{text}} needs a length from 1 to 1000000, as {{text 20}}");
    }
    Placeholder out;
    out.kind = Placeholder::Kind::kText;
    out.length = static_cast<std::size_t>(*length);
    return out;
}

Result<Placeholder> parse_pick(const std::vector<std::string_view>& words) {
    if (words.size() < 2) return bad("{{pick}} needs words to choose from, as {{pick red blue}}");
    Placeholder out;
    out.kind = Placeholder::Kind::kPick;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i].find_first_of("\"\\") != std::string_view::npos) {
            return bad("{{pick}} cannot choose words with quotes or backslashes");
        }
        out.choices.emplace_back(words[i]);
    }
    return out;
}

void append_text(std::string& out, RandomStream& random, std::size_t length) {
    constexpr unsigned kBits = 6;
    constexpr unsigned kLettersPerNumber = 64 / kBits;
    const std::size_t start = out.size();
    out.resize(start + length);
    for (std::size_t at = start; at < out.size();) {
        std::uint64_t bits = random.next();
        const std::size_t end = std::min(out.size(), at + kLettersPerNumber);
        for (; at < end; ++at, bits >>= kBits) {
            out[at] = kLetters[bits % kLetters.size()];
        }
    }
}

}  // namespace

bool Placeholder::is_literal() const {
    switch (kind) {
        case Kind::kSequence:
        case Kind::kRandom:
            return true;
        case Kind::kPick:
            return std::all_of(choices.begin(), choices.end(), [](const std::string& choice) {
                return static_cast<bool>(json::Value::parse(choice));
            });
        default:
            return false;
    }
}

void Placeholder::append(std::string& out, const Draw& draw, std::size_t place) const {
    if (kind == Kind::kSequence) {
        fmt::format_to(std::back_inserter(out), "{}", draw.number);
        return;
    }
    const std::uint64_t of_item = RandomStream::combined(draw.seed, draw.number);
    RandomStream random(
        RandomStream::combined(RandomStream::combined(of_item, in_key ? 0 : draw.version), place));
    switch (kind) {
        case Kind::kUuid: {
            const std::uint64_t high = random.next();
            const std::uint64_t low = random.next();
            fmt::format_to(std::back_inserter(out),
                           "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
                           high >> 32U,
                           high >> 16U & 0xFFFFU,
                           high & 0xFFFU,
                           0x8000U | (low >> 50U),
                           low & 0xFFFF'FFFF'FFFFU);
            break;
        }
        case Kind::kRandom: {
            const auto range = static_cast<std::uint64_t>(most - least) + 1;
            fmt::format_to(std::back_inserter(out),
                           "{}",
                           least + static_cast<std::int64_t>(random.below(range)));
            break;
        }
        case Kind::kText:
            append_text(out, random, length);
            break;
        default:
            out += choices[random.below(choices.size())];
    }
}

Result<Placeholder> parse_placeholder(std::string_view text) {
    const auto words = words_of(text);
    if (words.empty()) return bad("{{}} is empty");
    const std::string_view name = words[0];
    if (name == "random") return parse_random(words);
    if (name == "text") return parse_text(words);
    if (name == "pick") return parse_pick(words);
    const bool sequence = name == "sequence";
    if (!sequence && name != "uuid") {
        return bad(fmt::format(
            "{{{{{}}}}} is not known; there are sequence, uuid, random, text and pick", name));
    }
    if (words.size() > 1) return bad(fmt::format("{{{{{}}}}} has nothing after its name", name));
    if (!sequence) return uuid_placeholder();
    return Placeholder{};
}

Placeholder uuid_placeholder() {
    Placeholder out;
    out.kind = Placeholder::Kind::kUuid;
    return out;
}

}  // namespace orrery::tools::bench
