#include "storage/rados/rados_status.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "storage/rados/rados_files.h"

namespace orrery::storage {
namespace rados_status_test {

ErrorCode code_for(int number) { return to_rados_error(-number, "writing").code(); }

TEST(RadosStatus, TellsWhatAnErrorMeans) {
    EXPECT_TRUE(to_rados_status(0, "writing"));
    EXPECT_TRUE(to_rados_status(7, "reading"));
    EXPECT_EQ(code_for(ENOENT), ErrorCode::kNotFound);
    EXPECT_EQ(code_for(EEXIST), ErrorCode::kConflict);
    EXPECT_EQ(code_for(ECANCELED), ErrorCode::kPreconditionFailed);
    EXPECT_EQ(code_for(ENODATA), ErrorCode::kPreconditionFailed);
    EXPECT_EQ(code_for(ETIMEDOUT), ErrorCode::kTimeout);
    EXPECT_EQ(code_for(ESHUTDOWN), ErrorCode::kFenced);
    EXPECT_EQ(code_for(EIO), ErrorCode::kUnavailable);
    EXPECT_EQ(to_rados_error(-EIO, "writing p1").message(), "writing p1: Input/output error");
}

TEST(RadosStatus, KnowsAFullPool) {
    EXPECT_TRUE(is_full(to_rados_error(-ENOSPC, "writing")));
    EXPECT_TRUE(is_full(to_rados_error(-EDQUOT, "writing")));
    EXPECT_FALSE(is_full(to_rados_error(-EIO, "writing")));
}

TEST(RadosStatus, BecomesAnErrorOfRocksDB) {
    EXPECT_TRUE(to_io_status({}).ok());
    EXPECT_TRUE(to_io_status(to_rados_error(-ENOSPC, "writing")).IsNoSpace());
    EXPECT_TRUE(to_io_status(to_rados_error(-ETIMEDOUT, "writing")).IsTimedOut());
    EXPECT_TRUE(to_io_status(to_rados_error(-ESHUTDOWN, "writing")).IsIOFenced());
    EXPECT_TRUE(to_io_status(to_rados_error(-ENOENT, "reading")).IsNotFound());
    EXPECT_TRUE(to_io_status(Error(ErrorCode::kFenced)).IsIOFenced());
    EXPECT_TRUE(to_io_status(Error(ErrorCode::kCorrupted)).IsCorruption());
    EXPECT_TRUE(to_io_status(to_rados_error(-EIO, "writing")).IsIOError());
}

}  // namespace rados_status_test
}  // namespace orrery::storage
