// For tests of readers: text as a source, in pieces of any size.

#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tools/import/records.h"

namespace orrery::tools {

class TextSource final : public ByteSource {
public:
    explicit TextSource(std::string text, std::size_t piece = 1)
        : text_(std::move(text)), piece_(piece) {}

    Result<std::size_t> read(std::span<char> into) override {
        const std::size_t size = std::min({piece_, into.size(), text_.size() - at_});
        std::memcpy(into.data(), text_.data() + at_, size);
        at_ += size;
        return size;
    }

private:
    const std::string text_;
    const std::size_t piece_;
    std::size_t at_ = 0;
};

// Everything that a source has, or the error's message.
inline std::string read_all(ByteSource& source) {
    std::string out;
    std::string piece(7, '\0');
    while (true) {
        const auto got = source.read(piece);
        if (!got) return got.error().message();
        if (*got == 0) return out;
        out.append(piece, 0, *got);
    }
}

// All records, each as "line: text" or "line! problem: text"; the last may be an error.
template <typename Read>
std::vector<std::string> all_records(Read read, const std::string& text, std::size_t piece = 1) {
    TextSource source(text, piece);
    TextCursor cursor(source);
    Result<std::unique_ptr<Records>> records = read(cursor);
    if (!records) return {"error: " + records.error().message()};
    std::vector<std::string> out;
    while (true) {
        auto record = (*records)->next();
        if (!record) {
            out.push_back("error: " + record.error().message());
            return out;
        }
        if (!*record) return out;
        const std::string line = std::to_string((*record)->line);
        const std::string& problem = (*record)->problem;
        const std::string shown = (*record)->text.substr(0, 200);
        out.push_back(problem.empty() ? line + ": " + shown : line + "! " + problem + ": " + shown);
    }
}

}  // namespace orrery::tools
