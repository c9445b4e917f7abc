#include "script/spidermonkey/script_cache.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <malloc.h>
#include <string_view>

#include <js/CompilationAndEvaluation.h>
#include <js/CompileOptions.h>
#include <js/SourceText.h>

namespace orrery::script {
namespace {

std::size_t size_of(const void* block) { return malloc_usable_size(const_cast<void*>(block)); }

RefPtr<JS::Stencil> compile(JSContext* context, const Script& script) {
    // The body is a function expression. It is preceded by an operator, so that `function` does not
    // start a declaration, on a separate line, so that line numbers stay correct. Anything after
    // the expression (a semicolon, a comment, further functions) is allowed.
    std::string_view body = script.body;
    if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
    const std::string source = "0,\n" + std::string(body);

    const std::string file = file_name(script);
    JS::CompileOptions options(context);
    options.setFileAndLine(file.c_str(), 0);
    // Compile functions now, once, instead of in every global object.
    options.setForceFullParse();
    JS::SourceText<mozilla::Utf8Unit> text;
    if (!text.init(context, source.data(), source.size(), JS::SourceOwnership::Borrowed)) {
        return nullptr;
    }
    return JS::CompileGlobalScriptToStencil(context, options, text);
}

std::size_t hash_of(const Script& script) { return std::hash<std::string_view>()(script.body); }

}  // namespace

std::string file_name(const Script& script) { return script.id + ".js"; }

ScriptCache::Entries::iterator ScriptCache::find(std::size_t hash, const Script& script) {
    const auto [begin, end] = by_hash_.equal_range(hash);
    const auto found = std::find_if(begin, end, [&](const auto& known) {
        return known.second->script.body == script.body && known.second->script.id == script.id;
    });
    return found == end ? entries_.end() : found->second;
}

std::shared_ptr<CompiledScript> ScriptCache::find_or_compile(JSContext* context,
                                                             const Script& script) {
    const std::size_t hash = hash_of(script);
    if (const auto found = find(hash, script); found != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, found);
        return found->compiled;
    }
    auto compiled =
        std::make_shared<CompiledScript>(CompiledScript{.stencil = compile(context, script)});
    if (!compiled->stencil) return nullptr;
    const std::size_t bytes = script.id.size() + script.body.size() +
                              JS::SizeOfStencil(compiled->stencil, size_of) + sizeof(Entry);
    entries_.push_front({{.id = script.id, .body = script.body}, compiled, bytes});
    by_hash_.emplace(hash, entries_.begin());
    bytes_ += bytes;
    trim();
    return compiled;
}

void ScriptCache::clear() {
    by_hash_.clear();
    entries_.clear();
    bytes_ = 0;
}

void ScriptCache::trim() {
    while (bytes_ > bytes_max_ && !entries_.empty()) {
        const auto last = std::prev(entries_.end());
        bytes_ -= last->bytes;
        bytes_evicted_ += last->bytes;
        const auto [begin, end] = by_hash_.equal_range(hash_of(last->script));
        by_hash_.erase(
            std::find_if(begin, end, [&](const auto& known) { return known.second == last; }));
        entries_.erase(last);
    }
}

}  // namespace orrery::script
