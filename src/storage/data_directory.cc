#include "storage/data_directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace orrery::storage {

namespace {

// Older formats that this server reads.
constexpr int kOldestFormat = 2;
constexpr const char* kMarker = "ORRERY";
constexpr const char* kMarkerDraft = "ORRERY.tmp";
constexpr const char* kLock = "LOCK";
constexpr const char* kDatabase = "db";
constexpr std::size_t kMarkerSizeMax = 4096;

enum class State : std::uint8_t { kInitialising, kReady };

struct Marker {
    int format = kDataFormat;
    State state = State::kReady;
};

std::string_view name_of(State state) { return state == State::kReady ? "ready" : "initialising"; }

// A file descriptor that closes itself.
class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    int get() const { return descriptor_; }
    bool ok() const { return descriptor_ >= 0; }
    int release() { return std::exchange(descriptor_, -1); }

private:
    int descriptor_;
};

Error system_error(const std::string& doing) {
    const std::string reason = std::generic_category().message(errno);
    return Error(ErrorCode::kUnavailable, doing + ": " + reason);
}

Status sync_directory(const std::string& path) {
    const File directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.ok() || ::fsync(directory.get()) != 0) return system_error("syncing " + path);
    return {};
}

Status write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_error("writing");
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

// Replaces the marker atomically; it is on stable storage once this returns.
Status write_marker(const std::string& path, State state) {
    const std::string draft = path + "/" + kMarkerDraft;
    const std::string text = fmt::format("format = {}\nstate = {}\n", kDataFormat, name_of(state));
    {
        const File file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        if (!file.ok()) return system_error("creating " + draft);
        Status written = write_all(file.get(), text);
        if (!written) return std::move(written).take_error().with_context(draft);
        if (::fsync(file.get()) != 0) return system_error("syncing " + draft);
    }
    if (::rename(draft.c_str(), (path + "/" + kMarker).c_str()) != 0) {
        return system_error("renaming " + draft);
    }
    return sync_directory(path);
}

Error damaged(const std::string& path) {
    return Error(ErrorCode::kCorrupted,
                 "data directory " + path + ": its file ORRERY is damaged; restore it from a " +
                     "backup of the directory");
}

// Removes the line `name = value` from the text and returns the value.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view name) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !text.starts_with(name)) return std::nullopt;
    const std::string_view value = text.substr(name.size(), end - name.size());
    text.remove_prefix(end + 1);
    return value;
}

Result<Marker> parse_marker(const std::string& path, std::string_view text) {
    const std::optional<std::string_view> format_text = take_line(text, "format = ");
    if (!format_text) return damaged(path);
    int format = 0;
    const char* const end = format_text->data() + format_text->size();
    const auto [stopped, error] = std::from_chars(format_text->data(), end, format);
    if (error != std::errc() || stopped != end || format < 1) return damaged(path);
    // The rest may differ in another format, so check the number first.
    if (format > kDataFormat) {
        return Error(ErrorCode::kNotImplemented,
                     fmt::format("data directory {} has format {}; this server reads formats up "
                                 "to {}: use a newer server",
                                 path,
                                 format,
                                 kDataFormat));
    }
    if (format < kOldestFormat) {
        return Error(ErrorCode::kNotImplemented,
                     fmt::format("data directory {} has format {} of a server that was never "
                                 "released; this server reads formats from {}: use a new "
                                 "directory",
                                 path,
                                 format,
                                 kOldestFormat));
    }
    const std::optional<std::string_view> state = take_line(text, "state = ");
    if (!state || !text.empty()) return damaged(path);
    for (const State known : {State::kReady, State::kInitialising}) {
        if (*state == name_of(known)) return Marker{.format = format, .state = known};
    }
    return damaged(path);
}

// nullopt if there is no marker.
Result<std::optional<Marker>> read_marker(const std::string& path) {
    const std::string name = path + "/" + kMarker;
    const File file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.ok() && errno == ENOENT) return std::optional<Marker>();
    if (!file.ok()) return system_error("opening " + name);
    std::array<char, kMarkerSizeMax> text{};
    const ssize_t size = ::read(file.get(), text.data(), text.size());
    if (size < 0) return system_error("reading " + name);
    const Marker marker =
        TRY(parse_marker(path, std::string_view(text.data(), static_cast<std::size_t>(size))));
    return std::optional(marker);
}

// Without a marker, the directory may hold only what an interrupted first start or mkfs leaves.
Status check_ownership(const std::string& path) {
    std::error_code error;
    if (std::filesystem::exists(path + "/" + kMarker, error)) return {};
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name == kLock || name == kMarkerDraft || name == "lost+found") continue;
        return Error(ErrorCode::kBadRequest,
                     fmt::format("data directory {} is not empty and not an Orrery data directory "
                                 "(it has '{}' but no file ORRERY); choose another one",
                                 path,
                                 name));
    }
    if (error) {
        return Error(ErrorCode::kUnavailable, "listing " + path + ": " + error.message());
    }
    return {};
}

// The process that has the lock; 0 if that is not known.
int owner_of(int lock) {
    std::array<char, 32> text{};
    const ssize_t size = ::pread(lock, text.data(), text.size(), 0);
    int pid = 0;
    if (size > 0) std::from_chars(text.data(), text.data() + size, pid);
    return std::max(pid, 0);
}

// The lock belongs to the open file, so it is released when the process ends in any way.
Result<int> take_lock(const std::string& path) {
    const std::string name = path + "/" + kLock;
    File file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file.ok()) return system_error("opening " + name);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return system_error("locking " + name);
        const int owner = owner_of(file.get());
        return Error(ErrorCode::kUnavailable,
                     "data directory " + path + " is in use by another process" +
                         (owner > 0 ? fmt::format(" (process {})", owner) : ""));
    }
    // Only used in the message above, so a full disk must not prevent the start.
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(file.get(), 0) == 0) static_cast<void>(write_all(file.get(), pid));
    return file.release();
}

Status check_is_directory(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return {};
    return Error(ErrorCode::kBadRequest, "data directory " + path + " is not a directory");
}

Status make_directory(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) == 0) {
        const std::string parent = std::filesystem::absolute(path).parent_path().string();
        return sync_directory(parent);
    }
    if (errno != EEXIST) return system_error("creating " + path);
    return check_is_directory(path);
}

Status check_database(const std::string& path) {
    const std::string database = path + "/" + kDatabase;
    std::error_code error;
    if (std::filesystem::is_directory(database, error)) return {};
    return Error(ErrorCode::kCorrupted,
                 "data directory " + path + " has lost its database: " + database + " is missing");
}

}  // namespace

Result<DataDirectory> open_data_directory(const std::string& path) {
    TRY(make_directory(path));
    // Check before taking the lock, which creates a file: write nothing into a foreign directory.
    TRY(check_ownership(path));
    DataDirectory directory(path, TRY(take_lock(path)));
    const std::optional<Marker> marker = TRY(read_marker(path));
    directory.fresh_ = !marker || marker->state != State::kReady;
    if (!directory.fresh_) {
        directory.outdated_ = marker->format != kDataFormat;
        TRY(check_database(path));
        return directory;
    }
    TRY(write_marker(path, State::kInitialising));
    std::error_code error;
    std::filesystem::remove_all(directory.database_path(), error);
    if (error) {
        return Error(ErrorCode::kUnavailable,
                     "removing " + directory.database_path() + ": " + error.message());
    }
    return directory;
}

Result<DirectoryExamination> examine_data_directory(const std::string& path) {
    DirectoryExamination out;
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
        if (errno == ENOENT) return out;
        return system_error("opening " + path);
    }
    out.exists = true;
    TRY(check_is_directory(path));
    TRY(check_ownership(path));
    const std::optional<Marker> marker = TRY(read_marker(path));
    if (marker && marker->state == State::kReady) {
        out.has_data = true;
        out.format = marker->format;
        TRY(check_database(path));
    }
    const File lock(::open((path + "/" + kLock).c_str(), O_RDONLY | O_CLOEXEC));
    if (!lock.ok()) {
        if (errno == ENOENT) return out;
        return system_error("opening " + path + "/" + kLock);
    }
    out.in_use = ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (out.in_use) out.user = owner_of(lock.get());
    return out;
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      fresh_(other.fresh_),
      outdated_(other.outdated_) {}

DataDirectory& DataDirectory::operator=(DataDirectory&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    std::swap(fresh_, other.fresh_);
    std::swap(outdated_, other.outdated_);
    return *this;
}

DataDirectory::~DataDirectory() {
    if (lock_ >= 0) ::close(lock_);
}

Status DataDirectory::mark_ready() {
    TRY(write_marker(path_, State::kReady));
    fresh_ = false;
    outdated_ = false;
    return {};
}

}  // namespace orrery::storage
