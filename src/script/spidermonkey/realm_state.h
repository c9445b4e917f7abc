// What code can leave behind in a global object: everything that can be reached from it, as it was
// before any user code ran. A global object that is still so can be used again, which is what makes
// short scripts cheap; one that a script has changed, be it on purpose, is thrown away.
//
// Objects are compared by the engine's own representation: an object's shape stands for its
// property names, attributes, prototype and whether it can be extended, its slots and elements for
// the values. That is only sound as long as no full collection has run since they were recorded: it
// could give the memory of a shape or of a value to another one.

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

    // First find(), which makes what the engine makes on demand, then a collection of the young
    // objects, then record(). False: it cannot be watched, or (find) an exception is pending.
    bool find(JS::HandleObject global, JS::HandleObject further_roots);
    bool record();

    // False: there has been a full collection since.
    bool is_known() const;
    // Whether everything is as it was recorded, if that is known. Runs no code of scripts.
    bool is_unchanged() const;

private:
    // Objects as they were. Most are functions, which have nothing but this.
    struct Header {
        const JSObject* object;
        const void* shape;
        const void* dynamic_slots;
        const void* elements;
    };
    // What is in the slots and elements of the others: `values_` from `first_value` on.
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
    std::uint32_t collection_ = 0;  // the number of the last full collection before recording
};

}  // namespace orrery::script
