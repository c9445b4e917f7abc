#include "server/doctor/place.h"

#include <cerrno>
#include <filesystem>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "storage/data_directory.h"
#include "storage/temporary_directory.h"

namespace orrery::server::doctor {
namespace place_test {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// Listens on a free port of 127.0.0.1.
class Listening {
public:
    Listening() : file_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(place);
        auto* const address = reinterpret_cast<sockaddr*>(&place);
        EXPECT_EQ(bind(file_, address, size), 0);
        EXPECT_EQ(listen(file_, 1), 0);
        EXPECT_EQ(getsockname(file_, address, &size), 0);
        port_ = ntohs(place.sin_port);
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
    ~Listening() { close(file_); }

    std::uint16_t port() const { return port_; }

private:
    const int file_;
    std::uint16_t port_ = 0;
};

ServeConfig at(std::uint16_t port) {
    ServeConfig out;
    out.port = port;
    return out;
}

TEST(Port, NamesTheProcessThatHasIt) {
    const Listening other;
    const PortExamination found = examine_port(at(other.port()));
    EXPECT_EQ(found.problem, EADDRINUSE);
    ASSERT_TRUE(found.holder);
    EXPECT_EQ(found.holder->id, getpid());
    const Finding finding = check_port(at(other.port()), found);
    EXPECT_EQ(finding.state, State::kProblem);
    EXPECT_THAT(finding.text, HasSubstr("process " + std::to_string(getpid())));
    EXPECT_THAT(finding.advice, Contains(HasSubstr("orrery serve --listen 127.0.0.1:")));
    EXPECT_THAT(finding.advice, Contains(HasSubstr("kill " + std::to_string(getpid()))));
}

TEST(Port, IsFreeAgain) {
    std::uint16_t port = 0;
    {
        const Listening other;
        port = other.port();
    }
    EXPECT_EQ(examine_port(at(0)).problem, 0);
    EXPECT_EQ(check_port(at(port), {}).state, State::kGood);
}

TEST(Port, OfAServerIsNoProblem) {
    const PortExamination found{
        .problem = EADDRINUSE,
        .holder = Process{.id = 12, .command = "/usr/bin/orrery serve", .user = "ann"},
        .free_port = 8082};
    const Finding finding = check_port(at(8081), found);
    EXPECT_EQ(finding.state, State::kNote);
    EXPECT_THAT(finding.text, HasSubstr("process 12 of ann (/usr/bin/orrery serve)"));
    EXPECT_THAT(finding.advice, Contains(HasSubstr("--listen 127.0.0.1:8082")));
}

TEST(Port, OfAnotherUserIsNamedByThat) {
    const PortExamination found{.problem = EADDRINUSE,
                                .holder = Process{.id = 0, .command = {}, .user = "bob"}};
    const Finding finding = check_port(at(8081), found);
    EXPECT_EQ(finding.state, State::kProblem);
    EXPECT_THAT(finding.text, HasSubstr("a process of bob"));
}

TEST(Port, MustBelongToThisMachine) {
    ServeConfig config = at(8081);
    config.address = "192.0.2.1";  // for documentation
    EXPECT_EQ(examine_port(config).problem, EADDRNOTAVAIL);
    EXPECT_EQ(check_port(config, {.problem = EADDRNOTAVAIL}).state, State::kProblem);
    EXPECT_THAT(check_port(at(80), {.problem = EACCES}).advice, Contains(HasSubstr("1024")));
}

class DataTest : public testing::Test {
protected:
    Finding check(int listening = 0) const {
        ServeConfig config;
        config.data_directory = path_;
        return check_data(config, listening);
    }

    storage::TemporaryDirectory temporary_;
    std::string path_ = temporary_ / "data";
};

TEST_F(DataTest, MayBeMissing) {
    EXPECT_EQ(check().state, State::kGood);
    EXPECT_FALSE(std::filesystem::exists(path_));
    path_ += "/deeper";
    EXPECT_EQ(check().state, State::kProblem);
    EXPECT_THAT(check().advice, Contains(HasSubstr("mkdir -p")));
}

TEST_F(DataTest, MayBeInUseByTheServerThatListens) {
    const auto directory = storage::open_data_directory(path_);
    ASSERT_TRUE(directory);
    EXPECT_EQ(check(getpid()).state, State::kGood);
    const Finding second = check();
    EXPECT_EQ(second.state, State::kProblem);
    EXPECT_THAT(second.text, HasSubstr("in use by process " + std::to_string(getpid())));
    EXPECT_THAT(second.advice, Contains(HasSubstr("--data")));
}

TEST_F(DataTest, MustNotBeForeign) {
    std::filesystem::create_directories(path_ + "/photos");
    const Finding finding = check();
    EXPECT_EQ(finding.state, State::kProblem);
    EXPECT_THAT(finding.text, HasSubstr("not an Orrery data directory"));
}

TEST_F(DataTest, ShouldNotBeReadableByOthers) {
    std::filesystem::create_directory(path_);
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
    EXPECT_EQ(check().state, State::kWarning);
    EXPECT_THAT(check().advice, Contains(HasSubstr("chmod 700")));
    std::filesystem::permissions(path_, std::filesystem::perms(0700));
    EXPECT_EQ(check().state, State::kGood);
}

TEST(DiskCheck, ComparesWhatIsFree) {
    Disk disk{.path = "/data", .free_bytes = std::uint64_t{10} << 30, .free_files = 1000};
    EXPECT_EQ(check_disk(disk).state, State::kGood);
    EXPECT_THAT(check_disk(disk).advice, IsEmpty());
    disk.in_memory = true;
    EXPECT_EQ(check_disk(disk).state, State::kWarning);
    disk.free_bytes = std::uint64_t{500} << 20;
    EXPECT_EQ(check_disk(disk).state, State::kWarning);
    disk.free_bytes = 1 << 20;
    EXPECT_EQ(check_disk(disk).state, State::kProblem);
    disk = {.path = "/data", .free_bytes = std::uint64_t{10} << 30, .free_files = 0};
    EXPECT_EQ(check_disk(disk).state, State::kProblem);
    disk.free_files = 1;
    disk.read_only = true;
    EXPECT_EQ(check_disk(disk).state, State::kProblem);
}

TEST(DiskCheck, LooksAtTheNearestDirectory) {
    const storage::TemporaryDirectory temporary;
    const auto disk = measure_disk(temporary / "not/there");
    ASSERT_TRUE(disk);
    EXPECT_EQ(disk->path, temporary.path().string());
    EXPECT_GT(disk->free_bytes, 0U);
}

}  // namespace place_test
}  // namespace orrery::server::doctor
