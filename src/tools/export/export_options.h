// What the user wants to have exported, and how.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/account.h"
#include "tools/export/output.h"

namespace orrery::tools {

struct ExportOptions {
    client::Account account;
    std::string database;
    std::string container;
    std::string output = std::string(ExportOutput::kStandardOutput);
    OutputOptions form;                // its header is set later
    std::vector<std::string> columns;  // of CSV; empty: all there are
    std::string query;
    std::string partition_key;  // as JSON array; empty: all
    bool consistent = false;
    std::size_t parallel = 4;
    std::size_t page_items = 0;  // 0: as many as fit
    bool system_properties = false;
    bool overwrite = false;
    bool checkpoint = true;
    bool quiet = false;

    bool to_file() const { return output != ExportOutput::kStandardOutput; }
    bool resumable() const { return to_file() && checkpoint; }
    std::string checkpoint_file() const { return resumable() ? output + ".checkpoint" : ""; }
    // Whether all items have to be read before the output can be written: to know the columns, or
    // which versions are the newest.
    bool spooled() const { return consistent || (has_columns(form.format) && columns.empty()); }
};

}  // namespace orrery::tools
