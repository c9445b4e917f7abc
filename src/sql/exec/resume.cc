#include "sql/exec/resume.h"

#include "base/bytes.h"

namespace orrery::sql {

namespace {

// Before a position, whose first letter is another one (plan/positions.h).
constexpr char kPlace = 'j';
constexpr char kState = 'a';
constexpr std::size_t kPlaceLevelsMax = 64;

bool takes(ByteReader& reader, char letter) {
    if (!reader.rest().starts_with(letter)) return false;
    reader.take(1);
    return true;
}

}  // namespace

std::string Resume::encode() const {
    std::string out;
    for (const std::uint64_t number : {item, rows_done, passed, given}) {
        append_varint(out, number);
    }
    if (!place.empty()) {
        out += kPlace;
        append_varint(out, place.size());
        for (const std::uint64_t index : place) {
            append_varint(out, index);
        }
    }
    if (!state.empty()) {
        out += kState;
        append_varint(out, state.size());
        out += state;
    }
    return out + position;
}

Result<Resume> Resume::decode(std::string_view bytes) {
    Resume out;
    if (bytes.empty()) return out;
    ByteReader reader(bytes);
    out.item = reader.varint();
    out.rows_done = reader.varint();
    out.passed = reader.varint();
    out.given = reader.varint();
    if (takes(reader, kPlace)) {
        const std::uint64_t levels = reader.varint();
        for (std::uint64_t i = 0; i < levels && levels <= kPlaceLevelsMax; ++i) {
            out.place.push_back(reader.varint());
        }
    }
    if (takes(reader, kState)) out.state = reader.take(reader.varint());
    if (!reader.ok()) return Error(ErrorCode::kBadRequest, "Invalid Continuation Token");
    out.position = reader.rest();
    return out;
}

}  // namespace orrery::sql
