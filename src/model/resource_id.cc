#include "model/resource_id.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/check.h"

namespace orrery::model {

namespace {

constexpr std::uint32_t kContainerBit = 0x8000'0000;
constexpr unsigned kKindShift = 60;
constexpr std::uint32_t kClientKeyType = 2;
constexpr std::size_t kAttachmentBytes = 20;
constexpr std::uint64_t kMediaStore = 1;

// Builds the bytes of a rid on the stack: every item that is read needs one as text.
class RidWriter {
public:
    RidWriter& little_endian(std::uint64_t value, unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            bytes_[size_++] = static_cast<char>(value >> (8 * i));
        }
        return *this;
    }

    RidWriter& big_endian(std::uint32_t value) {
        for (unsigned i = 0; i < 4; ++i) {
            bytes_[size_++] = static_cast<char>(value >> (24 - 8 * i));
        }
        return *this;
    }

    void append_text(std::string& out) const {
        const auto start = static_cast<std::ptrdiff_t>(out.size());
        append_base64(out, {bytes_.data(), size_});
        std::replace(out.begin() + start, out.end(), '/', '-');
    }

private:
    std::array<char, kAttachmentBytes + 1> bytes_;
    std::size_t size_ = 0;
};

// The bytes of a rid whose length has been checked.
class RidReader {
public:
    explicit RidReader(std::string bytes) : bytes_(std::move(bytes)) {}

    std::uint64_t little_endian(unsigned count) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < count; ++i) {
            value |= static_cast<std::uint64_t>(next()) << (8 * i);
        }
        return value;
    }

    std::uint32_t little_endian4() { return static_cast<std::uint32_t>(little_endian(4)); }

    std::uint32_t big_endian4() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            value = value << 8 | next();
        }
        return value;
    }

private:
    unsigned char next() { return static_cast<unsigned char>(bytes_[at_++]); }

    std::string bytes_;
    std::size_t at_ = 0;
};

std::optional<RidReader> read_rid(std::string_view text, std::size_t byte_count) {
    if (text.size() != (byte_count + 2) / 3 * 4 || text.find('/') != std::string_view::npos) {
        return std::nullopt;
    }
    std::string standard(text);
    std::replace(standard.begin(), standard.end(), '-', '/');
    std::optional<std::string> bytes = base64_decode(standard);
    if (!bytes || bytes->size() != byte_count) return std::nullopt;
    return RidReader(std::move(*bytes));
}

RidWriter container_bytes(const ContainerRid& rid) {
    CHECK(rid.number <= ContainerRid::kNumberMax);
    return RidWriter().little_endian(rid.database, 4).big_endian(rid.number | kContainerBit);
}

RidWriter user_bytes(const UserRid& rid) {
    CHECK(rid.number <= UserRid::kNumberMax);
    return RidWriter().little_endian(rid.database, 4).big_endian(rid.number);
}

std::optional<ContainerRid> take_container(RidReader& reader) {
    const std::uint32_t database = reader.little_endian4();
    const std::uint32_t number = reader.big_endian4();
    if ((number & kContainerBit) == 0) return std::nullopt;
    return ContainerRid{.database = database, .number = number & ~kContainerBit};
}

std::optional<UserRid> take_user(RidReader& reader) {
    const std::uint32_t database = reader.little_endian4();
    const std::uint32_t number = reader.big_endian4();
    if ((number & kContainerBit) != 0) return std::nullopt;
    return UserRid{.database = database, .number = number};
}

template <typename Rid>
std::string text_of(const Rid& rid) {
    std::string out;
    rid.append_text(out);
    return out;
}

}  // namespace

std::optional<DatabaseRid> DatabaseRid::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, 4);
    if (!reader) return std::nullopt;
    return DatabaseRid{.number = reader->little_endian4()};
}

void DatabaseRid::append_text(std::string& out) const {
    RidWriter().little_endian(number, 4).append_text(out);
}

std::string DatabaseRid::text() const { return text_of(*this); }

std::optional<ContainerRid> ContainerRid::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, 8);
    if (!reader) return std::nullopt;
    return take_container(*reader);
}

void ContainerRid::append_text(std::string& out) const { container_bytes(*this).append_text(out); }

std::string ContainerRid::text() const { return text_of(*this); }

std::optional<UserRid> UserRid::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, 8);
    if (!reader) return std::nullopt;
    return take_user(*reader);
}

void UserRid::append_text(std::string& out) const { user_bytes(*this).append_text(out); }

std::string UserRid::text() const { return text_of(*this); }

std::optional<PermissionRid> PermissionRid::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, 16);
    if (!reader) return std::nullopt;
    const std::optional<UserRid> owner = take_user(*reader);
    if (!owner) return std::nullopt;
    return PermissionRid{.user = *owner, .number = reader->little_endian(8)};
}

void PermissionRid::append_text(std::string& out) const {
    user_bytes(user).little_endian(number, 8).append_text(out);
}

std::string PermissionRid::text() const { return text_of(*this); }

std::optional<ClientKeyRid> ClientKeyRid::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, 16);
    if (!reader) return std::nullopt;
    ClientKeyRid rid{.database = reader->little_endian4(), .number = 0};
    const bool plain = reader->little_endian4() == 0;
    rid.number = reader->little_endian4();
    if (!plain || reader->little_endian4() != kClientKeyType) return std::nullopt;
    return rid;
}

void ClientKeyRid::append_text(std::string& out) const {
    RidWriter()
        .little_endian(database, 4)
        .little_endian(0, 4)
        .little_endian(number, 4)
        .little_endian(kClientKeyType, 4)
        .append_text(out);
}

std::string ClientKeyRid::text() const { return text_of(*this); }

std::optional<OfferRid> OfferRid::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, 3);
    if (!reader) return std::nullopt;
    return OfferRid{.number = static_cast<std::uint32_t>(reader->little_endian(3))};
}

void OfferRid::append_text(std::string& out) const {
    CHECK(number <= kNumberMax);
    RidWriter().little_endian(number, 3).append_text(out);
}

std::string OfferRid::text() const { return text_of(*this); }

namespace {

template <ChildKind kKind>
std::optional<ChildRid<kKind>> take_child(RidReader& reader) {
    const std::optional<ContainerRid> parent = take_container(reader);
    const std::uint64_t child = reader.little_endian(8);
    if (!parent || child >> kKindShift != static_cast<std::uint64_t>(kKind)) return std::nullopt;
    return ChildRid<kKind>{.container = *parent, .number = child & ChildRid<kKind>::kNumberMax};
}

std::optional<AttachmentRid> take_attachment(RidReader& reader) {
    const auto item = take_child<ChildKind::kItem>(reader);
    if (!item) return std::nullopt;
    return AttachmentRid{.item = *item, .number = reader.little_endian4()};
}

RidWriter attachment_bytes(const AttachmentRid& rid) {
    CHECK(rid.item.number <= ItemRid::kNumberMax);
    return container_bytes(rid.item.container)
        .little_endian(rid.item.number, 8)
        .little_endian(rid.number, 4);
}

}  // namespace

std::optional<AttachmentRid> AttachmentRid::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, kAttachmentBytes);
    if (!reader) return std::nullopt;
    return take_attachment(*reader);
}

std::optional<AttachmentRid> AttachmentRid::parse_media_id(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, kAttachmentBytes + 1);
    if (!reader) return std::nullopt;
    const std::optional<AttachmentRid> rid = take_attachment(*reader);
    if (reader->little_endian(1) != kMediaStore) return std::nullopt;
    return rid;
}

void AttachmentRid::append_text(std::string& out) const {
    attachment_bytes(*this).append_text(out);
}

std::string AttachmentRid::text() const { return text_of(*this); }

std::string AttachmentRid::media_id() const {
    std::string out;
    attachment_bytes(*this).little_endian(kMediaStore, 1).append_text(out);
    return out;
}

template <ChildKind kKind>
std::optional<ChildRid<kKind>> ChildRid<kKind>::parse(std::string_view text) {
    std::optional<RidReader> reader = read_rid(text, 16);
    if (!reader) return std::nullopt;
    return take_child<kKind>(*reader);
}

template <ChildKind kKind>
void ChildRid<kKind>::append_text(std::string& out) const {
    CHECK(number <= kNumberMax);
    container_bytes(container)
        .little_endian(number | static_cast<std::uint64_t>(kKind) << kKindShift, 8)
        .append_text(out);
}

template <ChildKind kKind>
std::string ChildRid<kKind>::text() const {
    return text_of(*this);
}

template struct ChildRid<ChildKind::kItem>;
template struct ChildRid<ChildKind::kConflict>;
template struct ChildRid<ChildKind::kPartitionKeyRange>;
template struct ChildRid<ChildKind::kUdf>;
template struct ChildRid<ChildKind::kTrigger>;
template struct ChildRid<ChildKind::kStoredProcedure>;

}  // namespace orrery::model
