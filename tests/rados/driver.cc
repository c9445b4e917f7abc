// A node that does to its partitions what it is told on standard input, one command a line:
//
//   NUMBER COMMAND PARTITION ...    answered by   NUMBER ok ...   or   NUMBER error CODE MESSAGE
//
// Commands run at the same time; their answers come in any order. The tests start several of these
// on one pool, freeze and kill them.

#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/thread_pool.h"
#include "storage/rados/rados_cluster.h"

namespace orrery::storage {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kThreadsMax = 64;

const char* name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::kFenced:
            return "fenced";
        case ErrorCode::kTimeout:
            return "timeout";
        case ErrorCode::kUnavailable:
            return "unavailable";
        case ErrorCode::kPreconditionFailed:
            return "owned";
        case ErrorCode::kCorrupted:
            return "corrupted";
        default:
            return "other";
    }
}

class Driver {
public:
    explicit Driver(std::unique_ptr<OwnedEngine> engine) : engine_(std::move(engine)) {}

    void run() {
        ThreadPool pool(ThreadPool::Options{.threads = kThreads, .threads_max = kThreadsMax});
        for (std::string line; std::getline(std::cin, line);) {
            pool.post([this, line] { answer(line); });
        }
    }

private:
    using Words = std::vector<std::string>;
    using Stores = std::map<PartitionId, std::shared_ptr<PartitionStore>>;

    void answer(const std::string& line) {
        std::istringstream in(line);
        std::string number;
        std::string command;
        PartitionId id = 0;
        in >> number >> command >> id;
        Words words;
        for (std::string word; in >> word;)
            words.push_back(word);
        const Result<std::string> outcome = run(number, command, id, words);
        say(number,
            outcome ? "ok " + *outcome
                    : std::string("error ") + name_of(outcome.error().code()) + " " +
                          outcome.error().message());
    }

    void say(const std::string& number, const std::string& text) {
        const std::lock_guard lock(mutex_);
        std::printf("%s %s\n", number.c_str(), text.c_str());
        std::fflush(stdout);
    }

    Result<std::string> run(const std::string& number,
                            const std::string& command,
                            PartitionId id,
                            const Words& words) {
        if (command == "acquire") return acquire(id, words.empty() ? "" : words[0]);
        if (command == "release") return release(id);
        if (command == "put") return put(id, words);
        if (command == "fill") return fill(number, id, words);
        if (command == "scan") return scan(id);
        if (command == "owner") return owner(id);
        if (command == "drop") {
            forget(id);
            TRY(engine_->drop(id));
            return std::string();
        }
        if (command == "prepare") {
            engine_->prepare_release(id);
            return std::string();
        }
        if (command == "bytes") return std::to_string(engine_->size_on_disk());
        return Error(ErrorCode::kBadRequest, "what is " + command + "?");
    }

    Result<std::string> acquire(PartitionId id, const std::string& replacing) {
        forget(id);
        const auto store = TRY(engine_->acquire(id, replacing));
        const std::lock_guard lock(mutex_);
        stores_[id] = store;
        return std::string();
    }

    Result<std::string> release(PartitionId id) {
        forget(id);
        TRY(engine_->release(id));
        return std::string();
    }

    void forget(PartitionId id) {
        const std::lock_guard lock(mutex_);
        stores_.erase(id);
    }

    Result<std::shared_ptr<PartitionStore>> store(PartitionId id) {
        const std::lock_guard lock(mutex_);
        const auto found = stores_.find(id);
        if (found == stores_.end()) return Error(ErrorCode::kFenced, "not acquired");
        return found->second;
    }

    // put KEY VALUE KEY VALUE ...: in one batch
    Result<std::string> put(PartitionId id, const Words& words) {
        const auto target = TRY(store(id));
        WriteBatch batch;
        for (std::size_t i = 0; i + 1 < words.size(); i += 2)
            batch.put(words[i], words[i + 1]);
        TRY(target->commit(batch));
        return std::string();
    }

    // fill PREFIX FIRST COUNT BYTES: a commit for each number, with PREFIX and the number under two
    // keys. Each success is told, as "NUMBER acked I".
    Result<std::string> fill(const std::string& number, PartitionId id, const Words& words) {
        const auto target = TRY(store(id));
        const long first = std::stol(words.at(1));
        const long end = first + std::stol(words.at(2));
        const std::string padding(std::stoul(words.at(3)), 'x');
        for (long i = first; i < end; ++i) {
            const std::string value = words[0] + std::to_string(i);
            WriteBatch batch;
            batch.put("a" + value, value + padding);
            batch.put("z" + value, value + padding);
            TRY(target->commit(batch));
            say(number, "acked " + std::to_string(i));
        }
        return std::string();
    }

    // The keys, each with the length of its value.
    Result<std::string> scan(PartitionId id) {
        const auto target = TRY(store(id));
        std::string found;
        const auto cursor = target->scan({}, Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            found +=
                std::string(cursor->key()) + "=" + std::to_string(cursor->value().size()) + " ";
        }
        TRY(cursor->status());
        return found;
    }

    Result<std::string> owner(PartitionId id) {
        const auto found = TRY(engine_->owner_of(id));
        if (!found) return std::string("-");
        return found->name.empty() ? std::string("released") : found->name;
    }

    const std::unique_ptr<OwnedEngine> engine_;
    std::mutex mutex_;  // guards the output and the stores
    Stores stores_;
};

int serve(int count, char** arguments) {
    if (count != 6) {
        std::fprintf(stderr, "usage: rados_driver CONF POOL NAMESPACE OWNER DEADLINE_SECONDS\n");
        return 2;
    }
    auto pool = connect_rados({.conf = arguments[1],
                               .pool = arguments[2],
                               .name_space = arguments[3],
                               .deadline = std::chrono::seconds(std::stoi(arguments[5]))});
    if (!pool) {
        std::fprintf(stderr, "%s\n", pool.error().message().c_str());
        return 1;
    }
    const SystemClock clock;
    // Small memtables: flushes and compactions are always under way.
    Driver driver(make_rados_engine(std::move(pool).take(),
                                    clock,
                                    {.owner = arguments[4],
                                     .write_buffer_bytes = std::size_t{64} << 10,
                                     .trash_time = std::chrono::seconds(5)}));
    driver.run();
    return 0;
}

}  // namespace
}  // namespace orrery::storage

int main(int count, char** arguments) {
    orrery::log::configure(orrery::log::Level::kInfo, orrery::log::Format::kText);
    return orrery::storage::serve(count, arguments);
}
