#include "auth/account_keys.h"

#include "base/ascii.h"

namespace orrery::auth {

std::string_view name_of(KeySlot slot) {
    switch (slot) {
        case KeySlot::kPrimary:
            return "primary";
        case KeySlot::kSecondary:
            return "secondary";
        case KeySlot::kPrimaryReadOnly:
            return "primaryReadonly";
        case KeySlot::kSecondaryReadOnly:
            return "secondaryReadonly";
    }
    return "";
}

std::optional<KeySlot> parse_key_slot(std::string_view name) {
    for (const KeySlot slot : kKeySlots) {
        if (same_word(name_of(slot), name)) return slot;
    }
    return std::nullopt;
}

bool AccountKeys::set(KeySlot slot, const std::string& base64) {
    auto key = MasterKey::from_base64(base64);
    if (!key) return false;
    const std::lock_guard lock(changing_);
    auto changed = std::make_shared<Keys>(*keys_.load());
    Key& changing = changed->at(index(slot));
    if (changing.text == base64) return true;
    changing = {.text = base64,
                .key = std::make_shared<const MasterKey>(std::move(*key)),
                .number = changing.number + 1};
    keys_.store(std::move(changed));
    return true;
}

std::optional<KeyVersion> AccountKeys::find_signer(const SignedParts& parts,
                                                   std::string_view signature) const {
    const std::shared_ptr<const Keys> keys = keys_.load();
    for (const KeySlot slot : kKeySlots) {
        const Key& one = (*keys)[index(slot)];
        if (one.key && one.key->has_signed(parts, signature)) {
            return KeyVersion{.slot = slot, .number = one.number};
        }
    }
    return std::nullopt;
}

}  // namespace orrery::auth
