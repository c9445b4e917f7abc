#include "sql/exec/resume.h"

#include "base/bytes.h"

namespace orrery::sql {

std::string Resume::encode() const {
    std::string out;
    for (const std::uint64_t number : {item, rows_done, passed, given}) {
        append_varint(out, number);
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
    if (!reader.ok()) return Error(ErrorCode::kBadRequest, "Invalid Continuation Token");
    out.position = reader.rest();
    return out;
}

}  // namespace orrery::sql
