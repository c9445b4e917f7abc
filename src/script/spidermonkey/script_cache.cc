#include "script/spidermonkey/script_cache.h"

#include <malloc.h>

#include <js/CompilationAndEvaluation.h>
#include <js/CompileOptions.h>
#include <js/SourceText.h>

namespace orrery::script {
namespace {

std::size_t size_of(const void* block) { return malloc_usable_size(const_cast<void*>(block)); }

RefPtr<JS::Stencil> compile(JSContext* context, const Script& script) {
    // The body is a function expression. In front of it stands an operator, so that `function` does
    // not begin a declaration, on a line of its own, so that line numbers stay right. What follows
    // the expression (a semicolon, a comment, further functions) is allowed.
    std::string_view body = script.body;
    if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
    const std::string source = "0,\n" + std::string(body);

    const std::string file = file_name(script);
    JS::CompileOptions options(context);
    options.setFileAndLine(file.c_str(), 0);
    // Functions are compiled now, once, and not in every global object again.
    options.setForceFullParse();
    JS::SourceText<mozilla::Utf8Unit> text;
    if (!text.init(context, source.data(), source.size(), JS::SourceOwnership::Borrowed)) {
        return nullptr;
    }
    return JS::CompileGlobalScriptToStencil(context, options, text);
}

}  // namespace

std::string file_name(const Script& script) { return script.id + ".js"; }

std::shared_ptr<CompiledScript> ScriptCache::find_or_compile(JSContext* context,
                                                             const Script& script) {
    std::string key = std::to_string(script.id.size()) + ':' + script.id + script.body;
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->compiled;
    }
    RefPtr<JS::Stencil> stencil = compile(context, script);
    if (!stencil) return nullptr;
    const std::size_t bytes = key.size() * 2 + JS::SizeOfStencil(stencil, size_of);
    auto compiled = std::make_shared<CompiledScript>(CompiledScript{.stencil = stencil});
    entries_.push_front({std::move(key), compiled, bytes});
    by_key_.emplace(entries_.front().key, entries_.begin());
    bytes_ += bytes;
    trim();
    return compiled;
}

void ScriptCache::clear() {
    by_key_.clear();
    entries_.clear();
    bytes_ = 0;
}

void ScriptCache::trim() {
    while (bytes_ > bytes_max_ && !entries_.empty()) {
        bytes_ -= entries_.back().bytes;
        by_key_.erase(entries_.back().key);
        entries_.pop_back();
    }
}

}  // namespace orrery::script
