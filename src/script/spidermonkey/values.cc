#include "script/spidermonkey/values.h"

#include <algorithm>

#include <js/CallAndConstruct.h>
#include <js/CharacterEncoding.h>
#include <js/Conversions.h>
#include <js/JSON.h>
#include <js/PropertyAndElement.h>
#include <js/String.h>
#include <js/Value.h>

#include "base/utf8.h"

namespace orrery::script {
namespace {

// Collects UTF-16 in pieces; a surrogate pair may be split between two pieces.
class Utf16Collector {
public:
    void add(const char16_t* units, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            add(units[i]);
        }
    }
    std::string take() && {
        end_pair();
        return std::move(utf8_);
    }

private:
    void add(char16_t unit) {
        if (unit < 0x80 && high_ == 0) {
            utf8_ += static_cast<char>(unit);
        } else if (high_ != 0 && unit >= 0xDC00 && unit <= 0xDFFF) {
            orrery::append_utf8(utf8_, 0x10000 + ((high_ - 0xD800U) << 10) + (unit - 0xDC00U));
            high_ = 0;
        } else {
            end_pair();
            if (unit >= 0xD800 && unit <= 0xDBFF) {
                high_ = unit;
            } else {
                orrery::append_utf8(utf8_, is_surrogate(unit) ? kReplacementCharacter : unit);
            }
        }
    }
    void end_pair() {
        if (high_ != 0) orrery::append_utf8(utf8_, kReplacementCharacter);
        high_ = 0;
    }

    std::string utf8_;
    char32_t high_ = 0;  // a high surrogate waiting for its low one
};

bool collect(const char16_t* units, std::uint32_t count, void* collector) {
    static_cast<Utf16Collector*>(collector)->add(units, count);
    return true;
}

}  // namespace

bool append_utf8(JSContext* context, JS::HandleString string, std::string& out) {
    JSLinearString* linear = JS_EnsureLinearString(context, string);
    if (linear == nullptr) return false;
    const std::size_t before = out.size();
    const std::size_t length = JS::GetDeflatedUTF8StringLength(linear);
    out.resize(before + length);
    JS::DeflateStringToUTF8Buffer(linear, mozilla::Span(out.data() + before, length));
    return true;
}

bool append_text(JSContext* context,
                 JS::HandleValue value,
                 std::size_t units_max,
                 std::string& out) {
    JS::RootedString text(context, JS::ToString(context, value));
    if (!text) return false;
    if (JS_GetStringLength(text) > units_max) {
        text = JS_NewDependentString(context, text, 0, units_max);
        if (!text) return false;
    }
    return append_utf8(context, text, out);
}

bool set_string(JSContext* context, std::string_view utf8, JS::MutableHandleValue out) {
    JSString* string = JS_NewStringCopyUTF8N(context, JS::UTF8Chars(utf8.data(), utf8.size()));
    if (string == nullptr) return false;
    out.setString(string);
    return true;
}

bool parse_json(JSContext* context, std::string_view text, JS::MutableHandleValue out) {
    JS::RootedString string(
        context, JS_NewStringCopyUTF8N(context, JS::UTF8Chars(text.data(), text.size())));
    return string && JS_ParseJSON(context, string, out);
}

bool print_json(JSContext* context, JS::HandleValue value, std::optional<std::string>& out) {
    out.reset();
    const bool is_function = value.isObject() && JS::IsCallable(&value.toObject());
    if (value.isUndefined() || value.isSymbol() || is_function) return true;
    JS::RootedValue root(context, value);
    Utf16Collector collector;
    if (!JS_Stringify(context, &root, nullptr, JS::NullHandleValue, collect, &collector)) {
        return false;
    }
    out = std::move(collector).take();
    return true;
}

bool set_property(JSContext* context,
                  JS::HandleObject object,
                  const char* name,
                  std::string_view utf8) {
    JS::RootedValue value(context);
    return set_string(context, utf8, &value) && JS_SetProperty(context, object, name, value);
}

}  // namespace orrery::script
