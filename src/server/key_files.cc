#include "server/key_files.h"

#include <filesystem>

#include "base/base64.h"
#include "base/files.h"
#include "base/log.h"

namespace orrery::server {

namespace {

constexpr std::size_t kNewKeyBytes = 64;

}  // namespace

const std::string& KeyFiles::given_file(auth::KeySlot slot) const {
    switch (slot) {
        case auth::KeySlot::kSecondary:
            return config_.secondary_key_file;
        case auth::KeySlot::kPrimaryReadOnly:
            return config_.readonly_key_file;
        case auth::KeySlot::kSecondaryReadOnly:
            return config_.secondary_readonly_key_file;
        case auth::KeySlot::kPrimary:
            break;
    }
    return config_.key_file;
}

std::string KeyFiles::own_file(auth::KeySlot slot) const {
    return config_.data_directory + "/keys/" + std::string(auth::name_of(slot)) + ".key";
}

Result<AccountKey> KeyFiles::load() {
    AccountKey primary;
    for (const auth::KeySlot slot : auth::kKeySlots) {
        AccountKey key;
        std::error_code failed;
        if (!given_file(slot).empty()) {
            key = TRY(read_key(given_file(slot), config_.loopback()));
        } else if (!config_.ephemeral && std::filesystem::exists(own_file(slot), failed)) {
            key = TRY(read_key(own_file(slot), config_.loopback()));
        } else if (slot == auth::KeySlot::kPrimary) {
            key = TRY(account_key(config_, random_));
        } else {
            continue;
        }
        if (!keys_.set(slot, key.base64)) {
            return Error(ErrorCode::kInternal, "an account key is not valid");
        }
        if (slot == auth::KeySlot::kPrimary) primary = key;
    }
    return primary;
}

void KeyFiles::watch(FileWatch& watch) {
    for (const auth::KeySlot slot : auth::kKeySlots) {
        if (!given_file(slot).empty()) watch.add(given_file(slot), [this, slot] { reload(slot); });
    }
}

void KeyFiles::reload(auth::KeySlot slot) {
    const auto key = read_key(given_file(slot), config_.loopback());
    if (!key) {
        log::error("account_key_not_reloaded",
                   {{"key", auth::name_of(slot)}, {"reason", key.error().message()}});
        return;
    }
    if (keys_.text(slot) == key->base64) return;
    keys_.set(slot, key->base64);
    log::info("account_key_reloaded", {{"key", auth::name_of(slot)}});
}

Status KeyFiles::regenerate(auth::KeySlot slot) {
    if (!given_file(slot).empty()) {
        return Error(ErrorCode::kConflict,
                     "The key is in a file that the server's settings name. Write a new key to "
                     "that file; the server reads it within a second.");
    }
    const std::lock_guard lock(regenerating_);
    const std::string key = base64_encode(random_.bytes(kNewKeyBytes));
    if (!config_.ephemeral) {
        std::error_code failed;
        std::filesystem::create_directories(config_.data_directory + "/keys", failed);
        TRY(write_private_file(own_file(slot), key + "\n"));
    }
    keys_.set(slot, key);
    log::info("account_key_regenerated", {{"key", auth::name_of(slot)}});
    return {};
}

}  // namespace orrery::server
