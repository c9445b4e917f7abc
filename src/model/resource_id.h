// Resource ids (`_rid`): a few bytes that identify a resource and its parents, as padded base64
// with `-` for `/`. SDKs parse them, so the layout is the service's; the numbers in them are ours
// and never reused.
//
//   database    number(4, little endian)                        1      → AQAAAA==
//   container   database(4) + 0x80000000|number(4, big endian)  1, 1   → AQAAAIAAAAE=
//   user        database(4) + number(4, big endian)
//   child       container(8) + number(8, little endian), kind in the top nibble of the last byte:
//               SDKs break ORDER BY ties by this number         item 1 → AQAAAIAAAAEBAAAAAAAAAA==
//   attachment  item(16) + number(4, little endian)
//   media       attachment(20) + 01, the number of a store in the service
//   permission  user(8) + number(8, little endian)
//   offer       number(3, little endian)
//
// Parsing is strict: text() reproduces whatever it accepts. A number too large for its field is a
// bug of the caller.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::model {

struct DatabaseRid {
    std::uint32_t number = 0;

    static std::optional<DatabaseRid> parse(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    auto operator<=>(const DatabaseRid&) const = default;
};

struct ContainerRid {
    static constexpr std::uint32_t kNumberMax = 0x7FFF'FFFF;

    std::uint32_t database = 0;
    std::uint32_t number = 0;

    static std::optional<ContainerRid> parse(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    auto operator<=>(const ContainerRid&) const = default;
};

struct UserRid {
    static constexpr std::uint32_t kNumberMax = 0x7FFF'FFFF;

    std::uint32_t database = 0;
    std::uint32_t number = 0;

    static std::optional<UserRid> parse(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    auto operator<=>(const UserRid&) const = default;
};

struct PermissionRid {
    UserRid user;
    std::uint64_t number = 0;

    static std::optional<PermissionRid> parse(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    auto operator<=>(const PermissionRid&) const = default;
};

// A client encryption key.
struct ClientKeyRid {
    std::uint32_t database = 0;
    std::uint32_t number = 0;

    static std::optional<ClientKeyRid> parse(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    auto operator<=>(const ClientKeyRid&) const = default;
};

struct OfferRid {
    static constexpr std::uint32_t kNumberMax = 0xFF'FFFF;

    std::uint32_t number = 0;

    static std::optional<OfferRid> parse(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    auto operator<=>(const OfferRid&) const = default;
};

// The service's type nibbles. On disk in effect: never renumber.
enum class ChildKind : std::uint8_t {
    kItem = 0,
    kConflict = 4,
    kPartitionKeyRange = 5,
    kUdf = 6,
    kTrigger = 7,
    kStoredProcedure = 8,
};

// Resources in a container. One type for each kind, so that they cannot be mixed up.
template <ChildKind kKind>
struct ChildRid {
    static constexpr std::uint64_t kNumberMax = (std::uint64_t{1} << 60) - 1;

    ContainerRid container;
    std::uint64_t number = 0;

    static std::optional<ChildRid> parse(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    auto operator<=>(const ChildRid&) const = default;
};

using ItemRid = ChildRid<ChildKind::kItem>;
using ConflictRid = ChildRid<ChildKind::kConflict>;
using PartitionKeyRangeRid = ChildRid<ChildKind::kPartitionKeyRange>;
using UdfRid = ChildRid<ChildKind::kUdf>;
using TriggerRid = ChildRid<ChildKind::kTrigger>;
using StoredProcedureRid = ChildRid<ChildKind::kStoredProcedure>;

struct AttachmentRid {
    ItemRid item;
    std::uint32_t number = 0;

    static std::optional<AttachmentRid> parse(std::string_view text);
    // From the last segment of /media/ID.
    static std::optional<AttachmentRid> parse_media_id(std::string_view text);
    void append_text(std::string& out) const;
    std::string text() const;
    std::string media_id() const;
    auto operator<=>(const AttachmentRid&) const = default;
};

// The number of an item: the partition key range that assigned it, so that numbers never collide
// within a container, then that range's own counter. It identifies the item for ever and says
// nothing about where the item is now: after a split, ranges hold items with numbers of their
// parents.
inline constexpr unsigned kItemCounterBits = 40;
inline constexpr std::uint32_t kRangeIdMax =
    static_cast<std::uint32_t>(ItemRid::kNumberMax >> kItemCounterBits);

// The range that assigned the number.
inline std::uint32_t range_of_number(std::uint64_t number) {
    return static_cast<std::uint32_t>(number >> kItemCounterBits);
}

extern template struct ChildRid<ChildKind::kItem>;
extern template struct ChildRid<ChildKind::kConflict>;
extern template struct ChildRid<ChildKind::kPartitionKeyRange>;
extern template struct ChildRid<ChildKind::kUdf>;
extern template struct ChildRid<ChildKind::kTrigger>;
extern template struct ChildRid<ChildKind::kStoredProcedure>;

}  // namespace orrery::model
