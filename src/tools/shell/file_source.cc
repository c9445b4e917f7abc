#include <array>
#include <cerrno>
#include <unistd.h>

#include "tools/shell/line_editor.h"

namespace orrery::tools {

namespace {

// Not std::getline(), which would go on after a signal.
class FileSource final : public LineSource {
public:
    explicit FileSource(const cli::Interrupt& interrupt) : interrupt_(interrupt) {}

    Outcome read(const std::string& /*prompt*/, std::string& line) override {
        while (!interrupt_.flag()) {
            const std::size_t end = buffer_.find('\n', searched_);
            if (end != std::string::npos || ended_) return next_line(end, line);
            searched_ = buffer_.size();
            fill();
        }
        return Outcome::kInterrupted;
    }

private:
    Outcome next_line(std::size_t end, std::string& line) {
        if (buffer_.empty()) return Outcome::kEnd;
        line = buffer_.substr(0, end);
        buffer_.erase(0, end == std::string::npos ? end : end + 1);
        searched_ = 0;
        if (line.ends_with('\r')) line.pop_back();
        return Outcome::kLine;
    }

    void fill() {
        if (!interrupt_.wait_for_input(STDIN_FILENO)) return;
        std::array<char, 65536> piece{};
        const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (got > 0) buffer_.append(piece.data(), static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR)) ended_ = true;
    }

    const cli::Interrupt& interrupt_;
    std::string buffer_;
    std::size_t searched_ = 0;
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<LineSource> make_file_source(const cli::Interrupt& interrupt) {
    return std::make_unique<FileSource>(interrupt);
}

}  // namespace orrery::tools
