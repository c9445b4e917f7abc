// Reads text byte by byte from a source, in constant memory, and counts lines. Skips a byte order
// mark. After an error it is at its end.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/import/byte_source.h"

namespace orrery::tools {

class TextCursor {
public:
    static constexpr int kEnd = -1;

    explicit TextCursor(ByteSource& source) : source_(source) {
        fill(kMark.size());
        if (std::string_view(buffer_).starts_with(kMark)) at_ = kMark.size();
    }

    // The next byte, or kEnd.
    int peek() {
        if (at_ == buffer_.size() && !refill()) return kEnd;
        return static_cast<unsigned char>(buffer_[at_]);
    }
    int next() {
        const int byte = peek();
        if (byte == kEnd) return kEnd;
        ++at_;
        if (byte == '\n') ++line_;
        return byte;
    }

    // What comes next, until it is enough, and up to this size: does not wait for more than that.
    std::string_view ahead(std::size_t size, bool (*is_enough)(std::string_view)) {
        while (buffer_.size() - at_ < size && !ended_ && !is_enough(rest())) {
            fill(buffer_.size() - at_ + 1);
        }
        return rest().substr(0, size);
    }

    // Of the next byte, from 1.
    std::uint64_t line() const { return line_; }
    // What has ended the input early, if anything.
    Status status() const { return status_ ? Status() : Status(status_.error().copy()); }

private:
    static constexpr std::string_view kMark = "\xEF\xBB\xBF";
    static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

    std::string_view rest() const { return std::string_view(buffer_).substr(at_); }

    bool refill() {
        buffer_.clear();
        at_ = 0;
        fill(1);
        return !buffer_.empty();
    }

    void fill(std::size_t size) {
        buffer_.erase(0, at_);
        at_ = 0;
        while (buffer_.size() < size && !ended_) {
            const std::size_t before = buffer_.size();
            buffer_.resize(before + kPieceBytes);
            auto got = source_.read(std::span(buffer_).subspan(before));
            buffer_.resize(before + (got ? *got : 0));
            ended_ = !got || *got == 0;
            if (!got) status_ = std::move(got).take_error();
        }
    }

    ByteSource& source_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::uint64_t line_ = 1;
    bool ended_ = false;
    Status status_;
};

}  // namespace orrery::tools
