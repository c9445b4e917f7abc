#include "tools/import/records.h"

namespace orrery::tools {

namespace {

bool is_blank(int byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

// Collects the text of a record up to the limit.
class Collected {
public:
    explicit Collected(std::uint64_t line) { record_.line = line; }

    void add(int byte) {
        if (record_.text.size() < kRecordBytesMax) {
            record_.text += static_cast<char>(byte);
        } else {
            record_.problem = "the record is larger than 16 MB";
        }
    }
    void fail(std::string problem) {
        if (record_.problem.empty()) record_.problem = std::move(problem);
    }
    bool blank() const { return record_.text.find_first_not_of(" \t\r\n") == std::string::npos; }
    Record take() && { return std::move(record_); }

private:
    Record record_;
};

class JsonLines final : public Records {
public:
    explicit JsonLines(TextCursor& text) : text_(text) {}

    Result<std::optional<Record>> next() override {
        while (text_.peek() != TextCursor::kEnd) {
            Collected line(text_.line());
            int byte = text_.next();
            for (; byte != '\n' && byte != TextCursor::kEnd; byte = text_.next()) {
                line.add(byte);
            }
            TRY(text_.status());
            if (!line.blank()) return std::optional(std::move(line).take());
        }
        TRY(text_.status());
        return std::optional<Record>();
    }

private:
    TextCursor& text_;
};

// Finds where values end by their brackets; whether they are JSON shows later. So a record that is
// damaged inside does not affect the others.
class JsonValues final : public Records {
public:
    explicit JsonValues(TextCursor& text) : text_(text) {}

    Result<std::optional<Record>> next() override {
        if (!started_) start();
        skip_blanks(in_array_);
        const int byte = text_.peek();
        const std::uint64_t line = text_.line();
        if (byte == TextCursor::kEnd) {
            TRY(text_.status());
            if (!in_array_) return std::optional<Record>();
            in_array_ = false;
            return failure(line, "the array is not closed: the input ends early");
        }
        if (in_array_ && byte == ']') {
            text_.next();
            in_array_ = false;
            after_array_ = true;
            return next();
        }
        if (after_array_) return trailing(line);
        Record out = value(line);
        TRY(text_.status());
        return std::optional(std::move(out));
    }

private:
    void start() {
        started_ = true;
        skip_blanks(false);
        in_array_ = text_.peek() == '[';
        if (in_array_) text_.next();
    }

    static std::optional<Record> failure(std::uint64_t line, std::string problem) {
        return Record{.line = line, .text = {}, .problem = std::move(problem)};
    }

    // Whatever follows the array, as one failure.
    Result<std::optional<Record>> trailing(std::uint64_t line) {
        Collected rest(line);
        rest.fail("there is more text after the array");
        while (text_.peek() != TextCursor::kEnd) {
            rest.add(text_.next());
        }
        TRY(text_.status());
        return std::optional(std::move(rest).take());
    }

    void skip_blanks(bool commas) {
        while (is_blank(text_.peek()) || (commas && text_.peek() == ',')) {
            text_.next();
        }
    }

    Record value(std::uint64_t line) {
        Collected out(line);
        const int first = text_.peek();
        const bool nested = first == '{' || first == '[';
        int depth = 0;
        do {
            const int byte = text_.peek();
            if (byte == TextCursor::kEnd) {
                out.fail("the input ends inside a value");
                break;
            }
            if (!nested && ends_scalar(byte)) break;
            if (byte == '{' || byte == '[') ++depth;
            if (byte == '}' || byte == ']') --depth;
            out.add(text_.next());
            if (byte == '"') string(out);
        } while (!nested || depth > 0);
        return std::move(out).take();
    }

    bool ends_scalar(int byte) const {
        return is_blank(byte) || (in_array_ && (byte == ',' || byte == ']'));
    }

    // The rest of a string whose quote has been taken.
    void string(Collected& out) {
        while (text_.peek() != TextCursor::kEnd) {
            const int byte = text_.next();
            out.add(byte);
            if (byte == '"') return;
            if (byte == '\\' && text_.peek() != TextCursor::kEnd) out.add(text_.next());
        }
        out.fail("the input ends inside a string");
    }

    TextCursor& text_;
    bool started_ = false;
    bool in_array_ = false;
    bool after_array_ = false;
};

}  // namespace

std::unique_ptr<Records> read_json(TextCursor& text) { return std::make_unique<JsonValues>(text); }

std::unique_ptr<Records> read_lines(TextCursor& text) { return std::make_unique<JsonLines>(text); }

}  // namespace orrery::tools
