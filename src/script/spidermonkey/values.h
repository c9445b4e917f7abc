// Between JavaScript values and UTF-8 or JSON text. Functions that return false have left an
// exception on the context, or were interrupted.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

namespace orrery::script {

// Unpaired surrogates become U+FFFD.
bool append_utf8(JSContext* context, JS::HandleString string, std::string& out);
// The same of any value, as String(value) gives it, cut at a length.
bool append_text(JSContext* context,
                 JS::HandleValue value,
                 std::size_t units_max,
                 std::string& out);

bool set_string(JSContext* context, std::string_view utf8, JS::MutableHandleValue out);

bool parse_json(JSContext* context, std::string_view text, JS::MutableHandleValue out);
// Nothing for what JSON.stringify leaves out (undefined, functions, symbols).
bool print_json(JSContext* context, JS::HandleValue value, std::optional<std::string>& out);

bool set_property(JSContext* context,
                  JS::HandleObject object,
                  const char* name,
                  std::string_view utf8);

}  // namespace orrery::script
