#ifdef __SANITIZE_THREAD__

#include <cstdarg>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

namespace orrery::storage {
namespace tsan_report_filter_test {

// Code of ours that RocksDB calls, with a race.
class RacingLogger final : public rocksdb::Logger {
public:
    using rocksdb::Logger::Logv;
    void Logv(const char* /*format*/, va_list /*arguments*/) override { ++lines_; }
    int lines() const { return lines_; }

private:
    int lines_ = 0;
};

void race_in_code_called_by_rocksdb() {
    RacingLogger logger;
    const auto log = [&] {
        for (int i = 0; i < 1000; ++i) {
            rocksdb::Log(rocksdb::InfoLogLevel::ERROR_LEVEL, &logger, "line");
        }
    };
    std::thread other(log);
    log();
    other.join();
    // The run-time library turns this into its own exit code if it reported something.
    std::exit(logger.lines() > 0 ? 0 : 1);
}

TEST(TsanReportFilterTest, RacesInOurCodeThatRocksdbCallsAreReported) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(race_in_code_called_by_rocksdb(), testing::ExitedWithCode(66), "data race");
}

}  // namespace tsan_report_filter_test
}  // namespace orrery::storage

#endif
