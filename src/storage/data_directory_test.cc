#include "storage/data_directory.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "storage/temporary_directory.h"

namespace orrery::storage {
namespace data_directory_test {

using testing::HasSubstr;

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

class DataDirectoryTest : public testing::Test {
protected:
    // A successful first start.
    void make_ready() {
        auto directory = open_data_directory(path_);
        ASSERT_TRUE(directory) << directory.error().message();
        std::filesystem::create_directory(directory->database_path());
        write_file(directory->database_path() + "/data", "precious");
        ASSERT_TRUE(directory->mark_ready());
    }

    void expect_refused(ErrorCode code, const std::string& text) {
        const auto directory = open_data_directory(path_);
        ASSERT_FALSE(directory);
        EXPECT_EQ(directory.error().code(), code);
        EXPECT_THAT(directory.error().message(), HasSubstr(path_));
        EXPECT_THAT(directory.error().message(), HasSubstr(text));
    }

    TemporaryDirectory temporary_;
    const std::string path_ = temporary_ / "data";
};

TEST_F(DataDirectoryTest, CreatesAMissingDirectoryForTheOwnerOnly) {
    const auto directory = open_data_directory(path_);
    ASSERT_TRUE(directory) << directory.error().message();
    EXPECT_TRUE(directory->fresh());
    EXPECT_EQ(directory->path(), path_);
    EXPECT_EQ(directory->database_path(), path_ + "/db");
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    EXPECT_EQ(content_of(path_ + "/ORRERY"), "format = 4\nstate = initialising\n");
}

TEST_F(DataDirectoryTest, AcceptsAnEmptyDirectory) {
    std::filesystem::create_directories(path_ + "/lost+found");
    const auto directory = open_data_directory(path_);
    ASSERT_TRUE(directory) << directory.error().message();
    EXPECT_TRUE(directory->fresh());
}

// Reading the directory leaves its format, so that the server that wrote it can still use it.
TEST_F(DataDirectoryTest, UpgradesAnOldFormatOnceItIsMarked) {
    make_ready();
    write_file(path_ + "/ORRERY", "format = 2\nstate = ready\n");
    for (int i = 0; i < 2; ++i) {
        const auto directory = open_data_directory(path_);
        ASSERT_TRUE(directory) << directory.error().message();
        EXPECT_FALSE(directory->fresh());
        EXPECT_TRUE(directory->outdated());
        EXPECT_EQ(content_of(path_ + "/ORRERY"), "format = 2\nstate = ready\n");
    }
    {
        auto directory = open_data_directory(path_);
        ASSERT_TRUE(directory && directory->mark_ready());
        EXPECT_FALSE(directory->outdated());
    }
    EXPECT_EQ(content_of(path_ + "/ORRERY"), "format = 4\nstate = ready\n");
    const auto upgraded = open_data_directory(path_);
    ASSERT_TRUE(upgraded) << upgraded.error().message();
    EXPECT_FALSE(upgraded->outdated());
    EXPECT_EQ(content_of(path_ + "/db/data"), "precious");
}

TEST_F(DataDirectoryTest, ReopensAReadyDirectory) {
    make_ready();
    EXPECT_EQ(content_of(path_ + "/ORRERY"), "format = 4\nstate = ready\n");
    EXPECT_FALSE(std::filesystem::exists(path_ + "/ORRERY.tmp"));
    const auto again = open_data_directory(path_);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_FALSE(again->fresh());
    EXPECT_EQ(content_of(path_ + "/db/data"), "precious");
}

TEST_F(DataDirectoryTest, RestartsAnInterruptedFirstStart) {
    {
        auto directory = open_data_directory(path_);
        ASSERT_TRUE(directory);
        std::filesystem::create_directory(directory->database_path());
        write_file(directory->database_path() + "/half", "made");
        write_file(path_ + "/certificate.pem", "kept");
    }
    const auto again = open_data_directory(path_);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(again->fresh());
    EXPECT_FALSE(std::filesystem::exists(again->database_path()));
    EXPECT_EQ(content_of(path_ + "/certificate.pem"), "kept");
}

TEST_F(DataDirectoryTest, AcceptsAStartKilledBeforeTheMarker) {
    std::filesystem::create_directory(path_);
    write_file(path_ + "/LOCK", "123\n");
    write_file(path_ + "/ORRERY.tmp", "form");
    const auto directory = open_data_directory(path_);
    ASSERT_TRUE(directory) << directory.error().message();
    EXPECT_TRUE(directory->fresh());
}

TEST_F(DataDirectoryTest, RefusesAForeignDirectoryUnchanged) {
    std::filesystem::create_directory(path_);
    write_file(path_ + "/thesis.txt", "years of work");
    expect_refused(ErrorCode::kBadRequest, "not an Orrery data directory");
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
        names.push_back(entry.path().filename().string());
    }
    EXPECT_THAT(names, testing::ElementsAre("thesis.txt"));
}

TEST_F(DataDirectoryTest, RefusesAFile) {
    write_file(path_, "");
    expect_refused(ErrorCode::kBadRequest, "is not a directory");
}

TEST_F(DataDirectoryTest, RefusesADirectoryItCannotCreate) {
    const auto directory = open_data_directory(temporary_ / "no/such/parent");
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(directory.error().message(), HasSubstr("No such file"));
}

TEST_F(DataDirectoryTest, RefusesANewerFormatNamingBoth) {
    make_ready();
    write_file(path_ + "/ORRERY", "format = 5\nsomething = new\n");
    expect_refused(ErrorCode::kNotImplemented, "has format 5");
    expect_refused(ErrorCode::kNotImplemented, "up to 4");
    EXPECT_EQ(content_of(path_ + "/ORRERY"), "format = 5\nsomething = new\n");
    EXPECT_EQ(content_of(path_ + "/db/data"), "precious");
}

TEST_F(DataDirectoryTest, RefusesAnOlderFormat) {
    make_ready();
    write_file(path_ + "/ORRERY", "format = 1\nstate = ready\n");
    expect_refused(ErrorCode::kNotImplemented, "has format 1");
    EXPECT_EQ(content_of(path_ + "/db/data"), "precious");
}

TEST_F(DataDirectoryTest, RefusesADamagedMarkerAndWipesNothing) {
    make_ready();
    for (const std::string& text : {std::string(),
                                    std::string("format = 2\n"),
                                    std::string("format = 2"),
                                    std::string("format = one\nstate = ready\n"),
                                    std::string("format = 0\nstate = ready\n"),
                                    std::string("format = 2\nstate = rea\n"),
                                    std::string("format = 2\nstate = ready\nmore\n"),
                                    std::string(30, '\0')}) {
        SCOPED_TRACE(text);
        write_file(path_ + "/ORRERY", text);
        expect_refused(ErrorCode::kCorrupted, "damaged");
        EXPECT_EQ(content_of(path_ + "/ORRERY"), text);
        EXPECT_EQ(content_of(path_ + "/db/data"), "precious");
    }
}

TEST_F(DataDirectoryTest, RefusesALostDatabase) {
    make_ready();
    std::filesystem::remove_all(path_ + "/db");
    expect_refused(ErrorCode::kCorrupted, "has lost its database");
    EXPECT_FALSE(std::filesystem::exists(path_ + "/db"));
}

TEST_F(DataDirectoryTest, RefusesASecondProcessNamingTheFirst) {
    make_ready();
    std::optional<DataDirectory> first(open_data_directory(path_).take());
    expect_refused(ErrorCode::kUnavailable,
                   "in use by another process (process " + std::to_string(::getpid()) + ")");
    const DataDirectory moved(std::move(*first));
    first.reset();
    expect_refused(ErrorCode::kUnavailable, "in use by another process");
}

TEST_F(DataDirectoryTest, LockIsReleasedWithItsHolder) {
    make_ready();
    { const auto directory = open_data_directory(path_); }
    const pid_t child = ::fork();
    if (child == 0) {
        const auto directory = open_data_directory(path_);
        ::_exit(directory ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(open_data_directory(path_));
}

TEST_F(DataDirectoryTest, IsExaminedWithoutAnyChange) {
    const auto missing = examine_data_directory(path_);
    ASSERT_TRUE(missing);
    EXPECT_FALSE(missing->exists);
    EXPECT_FALSE(std::filesystem::exists(path_));
    make_ready();
    const auto ready = examine_data_directory(path_);
    ASSERT_TRUE(ready);
    EXPECT_TRUE(ready->exists && ready->has_data);
    EXPECT_EQ(ready->format, kDataFormat);
    EXPECT_FALSE(ready->in_use);
    const auto open = open_data_directory(path_);
    ASSERT_TRUE(open);
    const auto used = examine_data_directory(path_);
    ASSERT_TRUE(used);
    EXPECT_TRUE(used->in_use);
    EXPECT_EQ(used->user, getpid());
}

TEST_F(DataDirectoryTest, ExaminationRefusesWhatOpeningRefuses) {
    std::filesystem::create_directory(path_);
    write_file(path_ + "/photo", "");
    const auto foreign = examine_data_directory(path_);
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().message(), open_data_directory(path_).error().message());
    std::filesystem::remove_all(path_);
    make_ready();
    std::filesystem::remove_all(path_ + "/db");
    EXPECT_EQ(examine_data_directory(path_).error().code(), ErrorCode::kCorrupted);
}

}  // namespace data_directory_test
}  // namespace orrery::storage
