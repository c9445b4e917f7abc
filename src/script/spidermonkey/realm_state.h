// Detects what code has changed in a global object, by recording everything reachable from it
// before any user code runs. An unchanged global object can be reused, which makes short scripts
// cheap; a changed one is discarded.
//
// Objects are compared by the engine's own representation: an object's shape covers its property
// names, attributes, prototype and extensibility; its slots and elements hold the values. This is
// valid only until the next full garbage collection, which could reuse the memory of a shape or
// value for another one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <js/GCVector.h>
#include <js/RootingAPI.h>
#include <jsapi.h>

namespace orrery::script {

class RealmState {
public:
    explicit RealmState(JSContext* context) : context_(context), objects_(context) {}

    // Call find(), which creates what the engine creates on demand, then collect the young objects,
    // then record(). False if it cannot be watched, or (find) if an exception is pending.
    bool find(JS::HandleObject global, JS::HandleObject further_roots);
    bool record();

    // False if a full collection has run since record().
    bool is_known() const;
    // Whether everything is known to be as recorded. Runs no script code.
    bool is_unchanged() const;

private:
    // The recorded objects. Most are functions, which have nothing but this.
    struct Header {
        const JSObject* object;
        const void* shape;
        const void* dynamic_slots;
        const void* elements;
    };
    // The slots and elements of the others: `values_` from `first_value` on.
    struct Contents {
        const JSObject* object;
        std::uint64_t elements_header[2];
        std::uint32_t first_value;
        std::uint16_t fixed_begin;
        std::uint16_t fixed_end;
        std::uint16_t dynamic_count;
        std::uint16_t element_count;
    };

    class Search;

    bool record_properties(JS::HandleObject object);
    void add(const JSObject* object, std::size_t slot_count);
    bool is_unchanged(const Contents& recorded) const;

    JSContext* const context_;
    JS::PersistentRootedObjectVector objects_;
    std::vector<Header> headers_;
    std::vector<Contents> contents_;
    std::vector<std::uint64_t> values_;
    std::uint32_t collection_ = 0;  // the number of full collections before recording
};

}  // namespace orrery::script
