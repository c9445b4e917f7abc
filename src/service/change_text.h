// Changes as readers of a change feed get them: the item with its LSN, or an envelope around it.

#pragma once

#include <string>

#include "partition/changes.h"

namespace orrery::service {

// Appends the item's JSON and in it, last, "_lsn".
void append_change(std::string& out, const partition::Change& change);

// Prints every change like that.
partition::ChangePrinter plain_printer();

// Prints every version and removal:
// {"current":{…},"previous":{…},"metadata":{"operationType":"replace","lsn":28,"crts":1700000000,
//  "previousImageLSN":21}}. A delete has an empty "current", and its metadata name the item.
partition::ChangePrinter versions_printer();

// Prints the same and then a character.
partition::ChangePrinter followed_by(char end, partition::ChangePrinter inner);

// Wraps what the other prints: {"current":{…},"metadata":{"lsn":28,"crts":1700000000}}.
partition::ChangePrinter enveloped(partition::ChangePrinter inner);

}  // namespace orrery::service
