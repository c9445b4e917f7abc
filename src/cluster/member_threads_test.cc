// Members with their threads and the real clock. What they do is tested in steps elsewhere; this is
// about starting, stopping and leaving, and for ThreadSanitizer.

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "cluster/world_test_support.h"

namespace orrery::cluster::member_threads_test {

constexpr std::chrono::seconds kPatience{60};

// Opens and closes partitions with a thread of its own.
class Server final : public PartitionHost {
public:
    struct Storage {
        std::mutex mutex;  // guards everything that all servers share, and their hosts
        test::Directory directory;
        std::map<PartitionId, double> loads;
        storage::MemoryObjects objects;
    };

    Server(std::string name, Storage& storage, unsigned seed)
        : storage_(storage),
          random_(seed),
          host_(storage.directory, storage.loads),
          member_(options(std::move(name)), storage.objects, clock_, wall_clock_, random_, *this) {}

    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() override {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }

    Status start() {
        thread_ = std::thread([this] {
            while (!stop_) {
                {
                    const std::lock_guard lock(storage_.mutex);
                    host_.step(member_);
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        });
        return member_.start();
    }

    void assigned(std::span<const PartitionId> partitions) override {
        const std::lock_guard lock(storage_.mutex);
        host_.assigned(partitions);
    }
    void moving(std::span<const PartitionId> partitions) override {
        const std::lock_guard lock(storage_.mutex);
        host_.moving(partitions);
    }
    void revoked(std::span<const PartitionId> partitions) override {
        const std::lock_guard lock(storage_.mutex);
        host_.revoked(partitions);
    }
    void lost() override {
        const std::lock_guard lock(storage_.mutex);
        host_.lost();
    }
    std::vector<PartitionLoad> loads() override {
        const std::lock_guard lock(storage_.mutex);
        return host_.loads();
    }

    Member& member() { return member_; }
    std::size_t served() {
        const std::lock_guard lock(storage_.mutex);
        std::size_t count = 0;
        for (const auto& [partition, open] : host_.open)
            count += open.lease->held() ? 1 : 0;
        return count;
    }

private:
    static MemberOptions options(std::string name) {
        MemberOptions out;
        out.name = std::move(name);
        out.lease = std::chrono::milliseconds(1000);
        out.threads = 2;
        return out;
    }

    Storage& storage_;
    BootClock clock_;
    SystemClock wall_clock_;
    SeededRandom random_;
    test::Host host_;
    Member member_;
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

bool wait_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

TEST(MemberThreads, JoinLeaveAndTakeOver) {
    Server::Storage storage;
    Server a("a", storage, 1);
    auto b = std::make_unique<Server>("b", storage, 2);
    auto c = std::make_unique<Server>("c", storage, 3);
    ASSERT_TRUE(a.start());
    EXPECT_TRUE(a.member().is_coordinator());
    EXPECT_TRUE(a.member().routing().owner_of(kCatalogPartition));
    ASSERT_TRUE(b->start());
    ASSERT_TRUE(c->start());
    ASSERT_TRUE(wait_until([&] { return a.member().routing().nodes().size() == 3; }));
    const std::array<PartitionId, 11> partitions = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    ASSERT_TRUE(a.member().place(partitions));
    ASSERT_TRUE(wait_until([&] { return a.served() + b->served() + c->served() == 12; }));
    EXPECT_GE(b->served(), 3U);

    const Identity left = b->member().lease()->identity();
    ASSERT_TRUE(b->member().leave(kPatience));
    EXPECT_EQ(b->served(), 0U);
    EXPECT_TRUE(*a.member().is_gone(left));
    ASSERT_TRUE(wait_until([&] { return a.served() + c->served() == 12; }));
    b.reset();

    c.reset();  // without leaving
    ASSERT_TRUE(wait_until([&] { return a.served() == 12; }));
    EXPECT_EQ(a.member().stats().counts.deaths_declared, 1U);

    // The last one leaves as well, and comes back.
    const Identity last = a.member().lease()->identity();
    ASSERT_TRUE(a.member().leave(kPatience));
    EXPECT_EQ(a.served(), 0U);
    Server again("a", storage, 4);
    ASSERT_TRUE(again.start());
    EXPECT_TRUE(*again.member().is_gone(last));
    ASSERT_TRUE(wait_until([&] { return again.served() == 12; }));
}

TEST(MemberThreads, StopsWhileWaitingForALease) {
    Server::Storage storage;
    {
        Server crashed("a", storage, 1);
        ASSERT_TRUE(crashed.start());
    }
    Server again("a", storage, 2);
    std::thread stopping([&] { again.member().stop(); });
    const Status started = again.start();
    stopping.join();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code(), ErrorCode::kUnavailable);
}

TEST(MemberThreads, ReportStorageThatDoesNotAnswer) {
    Server::Storage storage;
    test::Connection connection(storage.objects);
    connection.is_cut = true;
    test::Host host(storage.directory, storage.loads);
    BootClock clock;
    SystemClock wall_clock;
    SeededRandom random(1);
    MemberOptions options;
    options.name = "a";
    options.lease = std::chrono::milliseconds(200);
    Member member(options, connection, clock, wall_clock, random, host);
    const Status started = member.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code(), ErrorCode::kTimeout);
}

}  // namespace orrery::cluster::member_threads_test
