// The keys of the account: two that allow everything and two for reading, so that one can be
// replaced while clients use the other.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "auth/master_key.h"
#include "base/read_mostly.h"

namespace orrery::auth {

// In the order in which signatures are checked against them.
enum class KeySlot : std::uint8_t { kPrimary, kSecondary, kPrimaryReadOnly, kSecondaryReadOnly };
inline constexpr std::array kKeySlots = {
    KeySlot::kPrimary, KeySlot::kSecondary, KeySlot::kPrimaryReadOnly, KeySlot::kSecondaryReadOnly};

inline bool is_read_only(KeySlot slot) { return slot >= KeySlot::kPrimaryReadOnly; }

// "primary", "secondary", "primaryReadonly", "secondaryReadonly": as in the resource provider.
std::string_view name_of(KeySlot slot);
// Ignores case.
std::optional<KeySlot> parse_key_slot(std::string_view name);

// A key that a slot has or had.
struct KeyVersion {
    KeySlot slot = KeySlot::kPrimary;
    std::uint32_t number = 0;  // counts the keys of the slot
};

class AccountKeys {
public:
    AccountKeys() : keys_(std::make_shared<const Keys>()) {}

    // Replaces a key; requests that are being checked may still use the old one. False if the text
    // is not a key (see MasterKey::from_base64), and nothing changes.
    bool set(KeySlot slot, const std::string& base64);

    // The key that has signed the request, if any has.
    std::optional<KeyVersion> find_signer(const SignedParts& parts,
                                          std::string_view signature) const;
    // Whether the key has not been replaced since.
    bool is_current(const KeyVersion& key) const {
        return keys_.load()->at(index(key.slot)).number == key.number;
    }

    // In base64; empty if there is none.
    std::string text(KeySlot slot) const { return keys_.load()->at(index(slot)).text; }

private:
    struct Key {
        std::string text;
        std::shared_ptr<const MasterKey> key;
        std::uint32_t number = 0;
    };
    using Keys = std::array<Key, kKeySlots.size()>;

    static std::size_t index(KeySlot slot) { return static_cast<std::size_t>(slot); }

    std::mutex changing_;
    ReadMostlyPointer<const Keys> keys_;
};

}  // namespace orrery::auth
