// The entries of a partition's change log in their order, and the items they lead to.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "partition/keys.h"
#include "storage/engine.h"

namespace orrery::partition {

// Loads items. Many are in the log in the order they were created in, which is that of their
// numbers; a cursor then takes a fraction of the time of looking them up.
class ItemLoader {
public:
    explicit ItemLoader(const storage::Reader& state) : state_(state) {}

    // The record, valid until the next call.
    Result<std::string_view> load(Docnum docnum);

    struct Created {
        Docnum docnum = 0;
        std::string_view record;
    };
    // The item that was created after the one loaded last, if that was the only change with this
    // LSN and the cursor has just reached it. Its record is valid until the next call.
    std::optional<Created> next_created(Lsn lsn);

private:
    bool move_to(Docnum docnum);

    const storage::Reader& state_;
    std::unique_ptr<storage::Cursor> cursor_;
    // The cursor is on this item: the one loaded last, or the one after it that was looked at.
    std::optional<Docnum> at_;
    std::string record_;
    Docnum last_ = 0;
    std::size_t run_ = 0;
};

// An entry of the log: of the newest version of an item ('L'), of an earlier one ('H') or of a
// removal ('V').
struct LogItem {
    char letter = 'L';
    LogPlace place;
    // Both valid until the next entry is read.
    std::string_view value;   // empty if the entry itself was not read
    std::string_view record;  // of the item, if it was read instead of the entry
};

class LogItems {
public:
    LogItems() = default;
    LogItems(const LogItems&) = delete;
    LogItems& operator=(const LogItems&) = delete;
    virtual ~LogItems() = default;

    // Nullopt at the end.
    virtual Result<std::optional<LogItem>> next() = 0;
};

// All entries with these letters after that LSN.
std::unique_ptr<LogItems> read_log(const storage::Reader& state,
                                   std::string_view letters,
                                   Lsn after);
// The newest versions after that LSN. Where items were created one after the other, it reads them
// instead of the log; the log up to `unordered` (change_log.h) has LSNs of several partitions and
// is always read.
struct LatestFrom {
    Lsn after = 0;
    Lsn unordered = 0;
};
std::unique_ptr<LogItems> read_latest(const storage::Reader& state,
                                      const LatestFrom& from,
                                      ItemLoader& items);
// Newest versions at these places, in any order.
std::unique_ptr<LogItems> read_places(std::vector<LogPlace> places);

}  // namespace orrery::partition
