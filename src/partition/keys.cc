#include "partition/keys.h"

#include "base/bytes.h"
#include "base/check.h"
#include "model/item_body.h"
#include "model/resource_id.h"

namespace orrery::partition {

namespace {

constexpr std::size_t kDocnumBytes = sizeof(Docnum);
constexpr std::size_t kItemKeyBytes = 1 + kDocnumBytes;
constexpr std::size_t kTwoNumbersBytes = 1 + 2 * sizeof(std::uint64_t);
constexpr std::size_t kPlaceBytes = kTwoNumbersBytes + sizeof(std::uint16_t);

// Terminates a byte string so that it cannot run into what follows, keeping the order: 00 is
// written as 00 FF, the end as 00 00. {41 00 42} → 41 00 FF 42 00 00.
void append_escaped(std::string& out, std::string_view bytes) {
    for (const char c : bytes) {
        out += c;
        if (c == '\0') out += '\xff';
    }
}

void append_terminated(std::string& out, std::string_view bytes) {
    append_escaped(out, bytes);
    out.append(2, '\0');
}

std::string two_numbers(char letter, std::uint64_t first, std::uint64_t second) {
    std::string key;
    key.reserve(kTwoNumbersBytes);
    key += letter;
    append_big_endian(key, first);
    append_big_endian(key, second);
    return key;
}

std::string key_of_place(char letter, const LogPlace& place) {
    std::string key;
    key.reserve(kPlaceBytes);
    key += letter;
    append_big_endian(key, static_cast<std::uint64_t>(place.lsn));
    append_big_endian(key, place.ordinal);
    append_big_endian(key, place.docnum);
    return key;
}

std::string docnum_key(char letter, Docnum docnum) {
    std::string key;
    key.reserve(kItemKeyBytes + sizeof(std::uint32_t));
    key += letter;
    append_big_endian(key, docnum);
    return key;
}

std::string epk_prefix(char letter, std::string_view epk) {
    std::string key(1, letter);
    append_terminated(key, epk);
    return key;
}

}  // namespace

std::string item_key(Docnum docnum) { return docnum_key('D', docnum); }

std::string id_key(std::string_view epk, std::string_view id) {
    std::string key = epk_prefix('K', epk);
    key.append(id);
    return key;
}

std::string member_key(std::string_view epk, Docnum docnum) {
    std::string key = epk_prefix('P', epk);
    append_big_endian(key, docnum);
    return key;
}

std::string log_key(const LogPlace& place) { return key_of_place('L', place); }

std::string plain_log_key(Lsn lsn, Docnum docnum) {
    return two_numbers('L', static_cast<std::uint64_t>(lsn), docnum);
}

std::string removal_key(const LogPlace& place) { return key_of_place('V', place); }

std::string version_key(const LogPlace& place) { return key_of_place('H', place); }

std::string expiry_key(std::int64_t second, Docnum docnum) {
    return two_numbers('T', static_cast<std::uint64_t>(second), docnum);
}

std::string unique_key(std::string_view epk, std::uint8_t number, std::string_view digest) {
    CHECK(digest.size() == model::kUniqueDigestBytes);
    std::string key = epk_prefix('U', epk);
    key += static_cast<char>(number);
    key.append(digest);
    return key;
}

std::string key_delete_key(std::string_view partition_key) {
    return std::string(1, 'G').append(partition_key);
}

std::string key_size_key(std::string_view epk) { return epk_prefix('B', epk); }

std::string encode_key_size(std::uint64_t bytes) {
    std::string value;
    append_big_endian(value, bytes);
    return value;
}

Result<std::uint64_t> decode_key_size(std::string_view value) {
    if (value.size() != sizeof(std::uint64_t)) {
        return Error(ErrorCode::kCorrupted, "the size of a partition key has the wrong length");
    }
    return ByteReader(value).big_endian<std::uint64_t>();
}

std::string attachments_key(Docnum docnum) { return docnum_key('A', docnum); }

std::string attachment_key(Docnum docnum, std::uint32_t number) {
    std::string key = docnum_key('J', docnum);
    append_big_endian(key, number);
    return key;
}

std::string media_key(Docnum docnum, std::uint32_t number) {
    std::string key = docnum_key('Q', docnum);
    append_big_endian(key, number);
    return key;
}

std::string attachment_log_key(Lsn lsn, Docnum docnum) {
    return two_numbers('Y', static_cast<std::uint64_t>(lsn), docnum);
}

std::string state_key() { return "M"; }

std::string unordered_key() { return "MO"; }

std::string versions_from_key() { return "MH"; }

storage::Range all_of(char letter) {
    return {.from = std::string(1, letter), .until = std::string(1, static_cast<char>(letter + 1))};
}

storage::Range members_of(const model::EpkRange& epks) {
    storage::Range range{.from = "P", .until = "P"};
    append_escaped(range.from, epks.min_inclusive);
    append_escaped(*range.until, epks.max_exclusive);
    return range;
}

storage::Range members_of(std::string_view epk) {
    std::string from = epk_prefix('P', epk);
    std::string until = from;
    until.back() = '\x01';  // the terminator ends in 00, so all keys with this prefix are below 01
    return {.from = std::move(from), .until = std::move(until)};
}

Result<Docnum> docnum_of_key(std::string_view key) {
    if (key.size() < kItemKeyBytes) return Error(ErrorCode::kCorrupted, "a key is too short");
    return docnum_of_value(key.substr(key.size() - kDocnumBytes));
}

std::optional<Docnum> docnum_of_item_key(std::string_view key) {
    if (key.size() != kItemKeyBytes || key.front() != 'D') return std::nullopt;
    return ByteReader(key.substr(1)).big_endian<Docnum>();
}

Result<NumberAndDocnum> numbers_of(std::string_view key) {
    if (key.size() != kTwoNumbersBytes) {
        return Error(ErrorCode::kCorrupted, "a key of two numbers has the wrong length");
    }
    const auto number = ByteReader(key.substr(1)).big_endian<std::uint64_t>();
    const Docnum docnum = TRY(docnum_of_key(key));
    return NumberAndDocnum{.number = number, .docnum = docnum};
}

Result<LogPlace> place_of(std::string_view log_or_removal_key) {
    const std::size_t size = log_or_removal_key.size();
    if (size != kPlaceBytes && size != kTwoNumbersBytes) {
        return Error(ErrorCode::kCorrupted, "a log key has the wrong length");
    }
    ByteReader reader(log_or_removal_key.substr(1));
    LogPlace place;
    place.lsn = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    if (size == kPlaceBytes) place.ordinal = reader.big_endian<std::uint16_t>();
    place.docnum = TRY(docnum_of_key(log_or_removal_key));
    return place;
}

std::string docnum_value(Docnum docnum) {
    std::string value;
    append_big_endian(value, docnum);
    return value;
}

Result<Docnum> docnum_of_value(std::string_view value) {
    const auto docnum = ByteReader(value).big_endian<std::uint64_t>();
    if (value.size() != kDocnumBytes || docnum > model::ItemRid::kNumberMax) {
        return Error(ErrorCode::kCorrupted, "an entry has an invalid item number");
    }
    return docnum;
}

}  // namespace orrery::partition
