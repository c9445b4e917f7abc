// Compresses the output of an export, in pieces that end where it can go on after it was killed:
// gzip members and zstd frames, of which a file may have many.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/import/byte_source.h"

namespace orrery::tools {

class Compressor {
public:
    virtual ~Compressor() = default;

    // Appends what comes out for more text, which may be nothing yet.
    virtual void append(std::string_view text, std::string& out) = 0;
    // Ends the piece. The next text begins another one.
    virtual void end(std::string& out) = 0;
};

// Nothing for Compression::kNone.
std::unique_ptr<Compressor> make_compressor(Compression compression);

}  // namespace orrery::tools
