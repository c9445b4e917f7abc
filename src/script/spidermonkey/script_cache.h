// Compiled scripts of one runtime, with LRU eviction. Scripts are identified by their text, so
// replacing one needs no invalidation.

#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mozilla/RefPtr.h>
#include <string>
#include <unordered_map>

#include <js/experimental/JSStencil.h>
#include <jsapi.h>

#include "script/engine.h"

namespace orrery::script {

// The name of a script in stack traces.
std::string file_name(const Script& script);

struct CompiledScript {
    RefPtr<JS::Stencil> stencil;
    // It changed the global object it ran in, so that could not be reused.
    bool leaves_traces = false;
};

class ScriptCache {
public:
    explicit ScriptCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // Compiles the script unless it is cached. Null if an exception is pending.
    std::shared_ptr<CompiledScript> find_or_compile(JSContext* context, const Script& script);

    void clear();
    std::size_t bytes() const { return bytes_; }
    // The size of the scripts evicted since the last clear_evicted().
    std::size_t bytes_evicted() const { return bytes_evicted_; }
    void clear_evicted() { bytes_evicted_ = 0; }

private:
    struct Entry {
        Script script;
        std::shared_ptr<CompiledScript> compiled;
        std::size_t bytes = 0;
    };
    using Entries = std::list<Entry>;

    Entries::iterator find(std::size_t hash, const Script& script);
    void trim();

    const std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::size_t bytes_evicted_ = 0;
    Entries entries_;  // the most recently used first
    std::unordered_multimap<std::size_t, Entries::iterator> by_hash_;
};

}  // namespace orrery::script
