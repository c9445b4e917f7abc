// Bytes that a connection has received but not parsed yet: in its reactor's read buffer while the
// connection is served, otherwise in a buffer of its own.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace orrery::http {

class Unread {
public:
    // The parser removes from the front what it has parsed.
    std::string_view& bytes() { return bytes_; }
    bool empty() const { return bytes_.empty(); }
    std::size_t size() const { return bytes_.size(); }

    // Appends bytes in the read buffer, which must stay there until keep(). Call keep() before the
    // read that overwrites the buffer.
    void append(std::string_view fresh) {
        if (bytes_.empty()) {
            bytes_ = fresh;
            kept_here_ = false;
        } else {
            kept_.append(fresh);
            bytes_ = kept_;
        }
    }

    // Copies what is still in the read buffer.
    void keep() {
        if (bytes_.empty()) {
            kept_.clear();
        } else if (kept_here_) {
            kept_.erase(0, kept_.size() - bytes_.size());
        } else {
            kept_.assign(bytes_);
        }
        bytes_ = kept_;
        kept_here_ = true;
    }

    // RFC 9112 §2.2: ignore empty lines before a request.
    void skip_empty_lines() {
        bytes_.remove_prefix(std::min(bytes_.find_first_not_of("\r\n"), bytes_.size()));
    }

    void clear() { bytes_ = {}; }
    // Also frees the memory. Only if empty().
    void release() {
        kept_.clear();
        kept_.shrink_to_fit();
        bytes_ = kept_;
    }

private:
    std::string_view bytes_;
    std::string kept_;
    bool kept_here_ = false;
};

}  // namespace orrery::http
