#include "script/spidermonkey/realm_state.h"

#include <algorithm>
#include <cstring>

#include <js/Class.h>
#include <js/GCAPI.h>
#include <js/GCHashTable.h>
#include <js/HeapAPI.h>
#include <js/Object.h>
#include <js/PropertyAndElement.h>
#include <js/PropertyDescriptor.h>
#include <js/shadow/Object.h>
#include <js/shadow/Shape.h>
#include <jsfriendapi.h>

// The layout of elements is not in any public header of the engine.
static_assert(MOZJS_MAJOR_VERSION == 102, "check the layout of objects, then change the number");

namespace orrery::script {
namespace {

// An object's elements are preceded by flags and three 32-bit counts; the first is the number of
// elements in use.
struct ElementsHeader {
    std::uint32_t flags;
    std::uint32_t used;
    std::uint32_t capacity;
    std::uint32_t length;
};
static_assert(sizeof(ElementsHeader) == 2 * sizeof(std::uint64_t));

const JS::shadow::Object& layout_of(const JSObject* object) {
    return *reinterpret_cast<const JS::shadow::Object*>(object);
}

const ElementsHeader* elements_header(const void* elements) {
    return static_cast<const ElementsHeader*>(elements) - 1;
}

// The engine keeps function data in reserved slots and completes it on the first call. In other
// objects reserved slots are part of the state.
std::size_t first_slot(const JSObject* object) {
    return js::IsFunctionObject(const_cast<JSObject*>(object))
               ? JSCLASS_RESERVED_SLOTS(JS::GetClass(object))
               : 0;
}

bool is_young(const JS::Value& value) {
    return value.isGCThing() && js::gc::IsInsideNursery(value.toGCThing());
}

constexpr unsigned kAllOwnKeys = JSITER_OWNONLY | JSITER_HIDDEN | JSITER_SYMBOLS;

// Elements, and the length of arrays and strings, have no slot after the reserved ones.
bool count_slots(JSContext* context,
                 JS::HandleObject object,
                 const JS::RootedIdVector& keys,
                 std::size_t& count) {
    js::ESClass kind{};
    if (!JS::GetBuiltinClass(context, object, &kind)) return false;
    const bool has_length = kind == js::ESClass::Array || kind == js::ESClass::String;
    const auto elements = static_cast<std::size_t>(
        std::count_if(keys.begin(), keys.end(), [](JS::PropertyKey key) { return key.isInt(); }));
    count = JSCLASS_RESERVED_SLOTS(JS::GetClass(object)) + keys.length() - elements - has_length;
    return true;
}

// The expected values of an object's slots, except accessors.
bool values_of(JSContext* context,
               JS::HandleObject object,
               const JS::RootedIdVector& keys,
               std::vector<std::uint64_t>& out) {
    JS::Rooted<mozilla::Maybe<JS::PropertyDescriptor>> property(context);
    JS::RootedId id(context);
    for (std::size_t i = 0; i < keys.length(); ++i) {
        id = keys[i];
        if (!JS_GetOwnPropertyDescriptorById(context, object, id, &property)) return false;
        if (property.isSome() && property->isDataDescriptor()) {
            out.push_back(property->value().asRawBits());
        }
    }
    return true;
}

// Counts are usually small: a loop is faster than a call.
bool has_same_bits(const JS::Value* values, const std::uint64_t* recorded, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (values[i].asRawBits() != recorded[i]) return false;
    }
    return true;
}

}  // namespace

// Walks everything reachable through properties and prototypes.
class RealmState::Search {
public:
    Search(JSContext* context, RealmState& state)
        : context_(context), state_(state), seen_(context) {}

    bool add(JSObject* object) {
        if (object == nullptr || seen_.has(object)) return true;
        return seen_.put(object) && state_.objects_.append(object);
    }

    bool run() {
        // Objects are appended during the loop.
        JS::RootedObject object(context_);
        for (std::size_t i = 0; i < state_.objects_.length(); ++i) {
            object = state_.objects_[i];
            if (!visit(object)) return false;
        }
        return true;
    }

private:
    using Seen = JS::GCHashSet<JSObject*, js::MovableCellHasher<JSObject*>, js::SystemAllocPolicy>;

    bool visit(JS::HandleObject object) {
        JS::RootedObject prototype(context_);
        JS::RootedIdVector keys(context_);
        if (!JS_GetPrototype(context_, object, &prototype) || !add(prototype) ||
            !js::GetPropertyKeys(context_, object, kAllOwnKeys, &keys)) {
            return false;
        }
        for (std::size_t i = 0; i < keys.length(); ++i) {
            if (!visit_property(object, keys[i])) return false;
        }
        // The engine marks objects that become prototypes: do that now, so that it does not look
        // like a change.
        return JS_NewObjectWithGivenProto(context_, nullptr, object) != nullptr;
    }

    bool visit_property(JS::HandleObject object, JS::HandleId id) {
        JS::Rooted<mozilla::Maybe<JS::PropertyDescriptor>> property(context_);
        if (!JS_GetOwnPropertyDescriptorById(context_, object, id, &property)) return false;
        if (property.isNothing()) return true;
        if (property->isAccessorDescriptor()) {
            return (!property->hasGetter() || add(property->getter())) &&
                   (!property->hasSetter() || add(property->setter()));
        }
        return !property->value().isObject() || add(&property->value().toObject());
    }

    JSContext* const context_;
    RealmState& state_;
    JS::Rooted<Seen> seen_;
};

bool RealmState::find(JS::HandleObject global, JS::HandleObject further_roots) {
    objects_.clear();
    Search search(context_, *this);
    return JS_EnumerateStandardClasses(context_, global) && search.add(global) &&
           search.add(further_roots) && search.run();
}

bool RealmState::record() {
    headers_.clear();
    contents_.clear();
    values_.clear();
    collection_ = JS_GetGCParameter(context_, JSGC_MAJOR_GC_NUMBER);
    JS::RootedObject object(context_);
    for (std::size_t i = 0; i < objects_.length(); ++i) {
        object = objects_[i];
        if (!record_properties(object)) {
            headers_.clear();
            return false;
        }
    }
    // Top-level `let` and `class` are not properties of the global object.
    add(JS_GlobalLexicalEnvironment(objects_[0]), 0);
    return is_known();
}

bool RealmState::record_properties(JS::HandleObject object) {
    JS::RootedIdVector keys(context_);
    std::vector<std::uint64_t> expected;
    std::size_t count = 0;
    if (!js::GetPropertyKeys(context_, object, kAllOwnKeys, &keys) ||
        !values_of(context_, object, keys, expected) ||
        !count_slots(context_, object, keys, count)) {
        return false;
    }
    if (JS::GetClass(object)->isProxyObject() ||
        js::gc::IsInsideNursery(reinterpret_cast<const js::gc::Cell*>(object.get()))) {
        return false;
    }
    add(object, count);
    // Slots and elements may hold only values of properties: this verifies our assumptions about
    // the engine's representation.
    const auto is_expected = [&](const JS::Value& value) {
        if (value.isPrivateGCThing()) return true;  // of an accessor
        return std::find(expected.begin(), expected.end(), value.asRawBits()) != expected.end() &&
               !is_young(value);
    };
    const JS::shadow::Object& layout = layout_of(object);
    for (std::size_t i = JSCLASS_RESERVED_SLOTS(JS::GetClass(object)); i < count; ++i) {
        if (!is_expected(layout.slotRef(i))) return false;
    }
    const auto* elements = static_cast<const JS::Value*>(layout._1);
    return std::all_of(elements, elements + elements_header(elements)->used, is_expected);
}

void RealmState::add(const JSObject* object, std::size_t slot_count) {
    const JS::shadow::Object& layout = layout_of(object);
    headers_.push_back({object, layout.shape, layout.slots, layout._1});
    const std::size_t fixed_end = std::min(layout.numFixedSlots(), slot_count);
    const std::size_t fixed_begin = std::min(first_slot(object), fixed_end);
    const std::size_t dynamic_count = slot_count - fixed_end;
    const ElementsHeader* header = elements_header(layout._1);
    // Without room for elements, the header is shared by all such objects.
    if (fixed_begin == fixed_end && dynamic_count == 0 && header->capacity == 0) return;
    Contents contents = {.object = object,
                         .elements_header = {},
                         .first_value = static_cast<std::uint32_t>(values_.size()),
                         .fixed_begin = static_cast<std::uint16_t>(fixed_begin),
                         .fixed_end = static_cast<std::uint16_t>(fixed_end),
                         .dynamic_count = static_cast<std::uint16_t>(dynamic_count),
                         .element_count = static_cast<std::uint16_t>(header->used)};
    std::memcpy(contents.elements_header, header, sizeof(ElementsHeader));
    contents_.push_back(contents);
    const auto append = [this](const void* values, std::size_t count) {
        const std::size_t size = values_.size();
        values_.resize(size + count);
        if (count > 0) std::memcpy(values_.data() + size, values, count * sizeof(std::uint64_t));
    };
    append(layout.fixedSlots() + fixed_begin, fixed_end - fixed_begin);
    append(layout.slots, dynamic_count);
    append(layout._1, contents.element_count);
}

bool RealmState::is_known() const {
    return !headers_.empty() && collection_ == JS_GetGCParameter(context_, JSGC_MAJOR_GC_NUMBER);
}

bool RealmState::is_unchanged() const {
    const auto has_same_header = [](const Header& recorded) {
        const JS::shadow::Object& now = layout_of(recorded.object);
        return now.shape == recorded.shape && now.slots == recorded.dynamic_slots &&
               now._1 == recorded.elements;
    };
    return is_known() && std::all_of(headers_.begin(), headers_.end(), has_same_header) &&
           std::all_of(contents_.begin(), contents_.end(), [this](const Contents& recorded) {
               return is_unchanged(recorded);
           });
}

bool RealmState::is_unchanged(const Contents& recorded) const {
    const JS::shadow::Object& now = layout_of(recorded.object);
    const std::uint64_t* values = values_.data() + recorded.first_value;
    const std::size_t fixed_count = recorded.fixed_end - recorded.fixed_begin;
    return std::memcmp(elements_header(now._1), recorded.elements_header, sizeof(ElementsHeader)) ==
               0 &&
           has_same_bits(now.fixedSlots() + recorded.fixed_begin, values, fixed_count) &&
           has_same_bits(now.slots, values + fixed_count, recorded.dynamic_count) &&
           has_same_bits(static_cast<const JS::Value*>(now._1),
                         values + fixed_count + recorded.dynamic_count,
                         recorded.element_count);
}

}  // namespace orrery::script
