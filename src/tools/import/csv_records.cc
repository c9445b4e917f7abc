#include <utility>

#include "json/text.h"
#include "tools/import/columns.h"
#include "tools/import/records.h"

namespace orrery::tools {

namespace {

struct Cell {
    std::string text;
    bool quoted = false;
};

struct Row {
    std::uint64_t line = 0;
    std::vector<Cell> cells;
    std::string problem;
};

// Rows as RFC 4180 has them: quoted cells may contain the delimiter, line ends and doubled quotes.
class RowReader {
public:
    RowReader(TextCursor& text, char delimiter) : text_(text), delimiter_(delimiter) {}

    // Nothing at the end. Empty lines are skipped.
    std::optional<Row> next() {
        while (text_.peek() == '\n' || text_.peek() == '\r') {
            text_.next();
        }
        if (text_.peek() == TextCursor::kEnd) return std::nullopt;
        Row row{.line = text_.line(), .cells = {}, .problem = {}};
        bytes_ = 0;
        bool more = true;
        while (more) {
            row.cells.emplace_back();
            more = read_cell(row);
        }
        return row;
    }

private:
    // False at the end of the row.
    bool read_cell(Row& row) {
        Cell& cell = row.cells.back();
        if (text_.peek() == '"') {
            text_.next();
            cell.quoted = true;
            read_quoted(row);
        }
        while (true) {
            const int byte = text_.next();
            if (byte == delimiter_) return within_columns(row);
            if (byte == '\n' || byte == TextCursor::kEnd) return false;
            if (byte == '\r' && (text_.peek() == '\n' || text_.peek() == TextCursor::kEnd)) {
                continue;
            }
            if (cell.quoted) fail(row, "there is text after a closing quote");
            add(row, byte);
        }
    }

    void read_quoted(Row& row) {
        while (true) {
            const int byte = text_.next();
            if (byte == TextCursor::kEnd) return fail(row, "a quote is not closed");
            if (byte == '"') {
                if (text_.peek() != '"') return;
                text_.next();
            }
            add(row, byte);
        }
    }

    bool within_columns(Row& row) {
        if (row.cells.size() < kColumnsMax) return true;
        fail(row, "the row has more than 10,000 cells");
        row.cells.pop_back();  // the rest goes into the same cell
        return true;
    }

    void add(Row& row, int byte) {
        if (++bytes_ > kRecordBytesMax) return fail(row, "the record is larger than 16 MB");
        row.cells.back().text += static_cast<char>(byte);
    }

    static void fail(Row& row, const char* problem) {
        if (row.problem.empty()) row.problem = problem;
    }

    TextCursor& text_;
    const char delimiter_;
    std::size_t bytes_ = 0;
};

class CsvRecords final : public Records {
public:
    CsvRecords(TextCursor& text, const CsvOptions& options)
        : text_(text), options_(options), rows_(text, options.delimiter) {}

    Status read_header() {
        auto row = rows_.next();
        TRY(text_.status());
        if (!row) return {};  // an empty file has no items
        if (!row->problem.empty()) {
            return Error(ErrorCode::kBadRequest, "the header is not CSV: " + row->problem);
        }
        std::vector<std::string> names;
        for (Cell& cell : row->cells) {
            if (!json::is_valid_utf8(cell.text)) {
                return Error(ErrorCode::kBadRequest, "the header is not UTF-8");
            }
            names.push_back(std::move(cell.text));
        }
        columns_ = TRY(Columns::parse(names));
        return {};
    }

    Result<std::optional<Record>> next() override {
        auto row = rows_.next();
        TRY(text_.status());
        if (!row) return std::optional<Record>();
        const std::size_t expected = columns_.size();
        if (row->problem.empty() && row->cells.size() != expected) {
            row->problem = "the row has " + std::to_string(row->cells.size()) +
                           " cells and the header " + std::to_string(expected);
        }
        Record out{.line = row->line, .text = {}, .problem = std::move(row->problem)};
        if (!out.problem.empty()) {
            out.text = plain_text(*row);
            return std::optional(std::move(out));
        }
        std::vector<std::optional<json::Value>> values;
        values.reserve(expected);
        for (const Cell& cell : row->cells) {
            values.push_back(value_of(cell, columns_.is_id(values.size())));
        }
        auto item = columns_.item(std::move(values));
        if (item) {
            out.text = item->text();
        } else {
            out.problem = item.error().message();
            out.text = plain_text(*row);
        }
        return std::optional(std::move(out));
    }

private:
    // An unquoted cell that is a number, true, false, null, [] or {} is that.
    std::optional<json::Value> value_of(const Cell& cell, bool is_id) const {
        const std::string& text = cell.text;
        if (text.empty() && !cell.quoted) return std::nullopt;
        if (!cell.quoted && !is_id && !options_.plain_strings) {
            const bool number = json::number_length(text) == text.size();
            if (number || text == "true" || text == "false" || text == "null" || text == "[]" ||
                text == "{}") {
                return json::Value::parse(text).take();
            }
        }
        return json::Value(text);
    }

    std::string plain_text(const Row& row) const {
        std::string out;
        for (const Cell& cell : row.cells) {
            if (&cell != &row.cells.front()) out += options_.delimiter;
            out += cell.text;
        }
        return out;
    }

    TextCursor& text_;
    const CsvOptions options_;
    RowReader rows_;
    Columns columns_;
};

}  // namespace

Result<std::unique_ptr<Records>> read_csv(TextCursor& text, const CsvOptions& options) {
    auto out = std::make_unique<CsvRecords>(text, options);
    TRY(out->read_header());
    return std::unique_ptr<Records>(std::move(out));
}

}  // namespace orrery::tools
