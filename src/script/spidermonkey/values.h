// Converts between JavaScript values and UTF-8 or JSON text. On false, an exception is pending on
// the context, or the script was interrupted.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

namespace orrery::script {

// Unpaired surrogates become U+FFFD.
bool append_utf8(JSContext* context, JS::HandleString string, std::string& out);
// The same for any value, as String(value) prints it, truncated to `units_max`.
bool append_text(JSContext* context,
                 JS::HandleValue value,
                 std::size_t units_max,
                 std::string& out);

bool set_string(JSContext* context, std::string_view utf8, JS::MutableHandleValue out);

bool parse_json(JSContext* context, std::string_view text, JS::MutableHandleValue out);
// nullopt for what JSON.stringify omits (undefined, functions, symbols).
bool print_json(JSContext* context, JS::HandleValue value, std::optional<std::string>& out);

bool set_property(JSContext* context,
                  JS::HandleObject object,
                  const char* name,
                  std::string_view utf8);

}  // namespace orrery::script
