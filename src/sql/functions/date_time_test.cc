#include "sql/functions/date_time.h"

#include <gtest/gtest.h>

#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace date_time_test {

Ticks ticks(std::string_view text) {
    const auto parsed = parse_date_time(text);
    EXPECT_TRUE(parsed.has_value()) << text;
    return parsed.value_or(0);
}

TEST(DateTime, Parses) {
    EXPECT_EQ(ticks("1970-01-01"), 0);
    EXPECT_EQ(ticks("1970-01-01T00:00:00.0000001Z"), 1);
    EXPECT_EQ(ticks("1969-12-31T23:59:59.9999999"), -1);
    EXPECT_EQ(ticks("1601-01-01"), kTicksWindowsEpoch);
    EXPECT_EQ(ticks("0001-01-01"), kTicksMin);
    EXPECT_EQ(ticks("9999-12-31T23:59:59.9999999Z"), kTicksEnd - 1);
    EXPECT_EQ(ticks("2024-12-12 20:21:25.5"), ticks("2024-12-12T20:21:25.5000000Z"));
    EXPECT_EQ(ticks("2000-02-29"), ticks("2000-03-01") - kTicksPerDay);
}

TEST(DateTime, RefusesEverythingElse) {
    for (const std::string_view text : {"",
                                        "2024",
                                        "2024-12",
                                        "2024-12-1",
                                        "2024-12-12T",
                                        "2024-12-12T20Z",
                                        "2024-12-12T20:21",
                                        "2024-12-12 20:21:25.",
                                        "2024-12-12T20:21:25.12345678",
                                        "2024-12-12T20:21:25+00:00",
                                        "2024-12-12t20:21:25",
                                        "2024-12-12T20:21:25z",
                                        "2024-12-12T20:21:25ZZ",
                                        " 2024-12-12",
                                        "2024-12-12 ",
                                        "2024/12/12",
                                        "24-12-12",
                                        "2024-13-01",
                                        "2024-00-01",
                                        "2024-01-00",
                                        "2023-02-29",
                                        "1900-02-29",
                                        "2024-04-31",
                                        "2024-01-01T24:00:00",
                                        "2024-01-01T00:60:00",
                                        "2024-01-01T00:00:60",
                                        "0000-01-01",
                                        "-001-01-01",
                                        "2024-12-12Z00:00:00",
                                        "2024-12-12T1:2:3",
                                        "20241212"}) {
        EXPECT_FALSE(parse_date_time(text).has_value()) << text;
    }
}

TEST(DateTime, PrintsWhatItParses) {
    for (const std::string_view text : {"0001-01-01T00:00:00.0000000Z",
                                        "1600-02-29T12:34:56.7890123Z",
                                        "1969-12-31T23:59:59.9999999Z",
                                        "1970-01-01T00:00:00.0000000Z",
                                        "2000-12-31T00:00:00.0000001Z",
                                        "2024-02-29T23:59:59.9999999Z",
                                        "9999-12-31T23:59:59.9999999Z"}) {
        EXPECT_EQ(print_date_time(ticks(text)), text);
    }
}

// Every day of the calendar, each counted from the one before.
TEST(DateTime, ConvertsEveryDay) {
    DateTime expected{.year = 1, .month = 1, .day = 1};
    for (Ticks day = kTicksMin; day < kTicksEnd; day += kTicksPerDay) {
        const DateTime time = to_date_time(day);
        ASSERT_EQ(time.year, expected.year);
        ASSERT_EQ(time.month, expected.month);
        ASSERT_EQ(time.day, expected.day);
        ASSERT_EQ(to_ticks(time), day);
        ++expected.day;
        if (to_ticks(expected)) continue;
        expected.day = 1;
        if (++expected.month <= 12) continue;
        expected.month = 1;
        ++expected.year;
    }
    EXPECT_EQ(expected.year, 10'000);
}

TEST(DateTime, Parts) {
    for (const char* name : {"year", "yyyy", "yy", "YYYY"}) {
        EXPECT_EQ(parse_date_part(name), DatePart::kYear);
    }
    EXPECT_EQ(parse_date_part("m"), DatePart::kMonth);
    EXPECT_EQ(parse_date_part("mi"), DatePart::kMinute);
    EXPECT_EQ(parse_date_part("n"), DatePart::kMinute);
    EXPECT_EQ(parse_date_part("ms"), DatePart::kMillisecond);
    EXPECT_EQ(parse_date_part("mcs"), DatePart::kMicrosecond);
    EXPECT_EQ(parse_date_part("ns"), DatePart::kNanosecond);
    EXPECT_EQ(parse_date_part("h"), std::nullopt);
    EXPECT_EQ(parse_date_part("week"), std::nullopt);
    EXPECT_EQ(parse_date_part(""), std::nullopt);
}

TEST(DateFunctions, Add) {
    const auto call = [](std::string_view part, std::string_view count, std::string_view time) {
        return FunctionTest().print("DATETIMEADD(\"" + std::string(part) + "\", " +
                                    std::string(count) + ", \"" + std::string(time) + "\")");
    };
    EXPECT_EQ(call("yyyy", "1", "2020-07-03"), "\"2021-07-03T00:00:00.0000000Z\"");
    EXPECT_EQ(call("yyyy", "-1", "2020-07-03"), "\"2019-07-03T00:00:00.0000000Z\"");
    EXPECT_EQ(call("mm", "-1", "2020-07-03"), "\"2020-06-03T00:00:00.0000000Z\"");
    EXPECT_EQ(call("dd", "1", "2020-07-03"), "\"2020-07-04T00:00:00.0000000Z\"");
    EXPECT_EQ(call("hh", "-1", "2020-07-03"), "\"2020-07-02T23:00:00.0000000Z\"");
    EXPECT_EQ(call("ss", "-25", "2020-07-03"), "\"2020-07-02T23:59:35.0000000Z\"");
    EXPECT_EQ(call("mi", "1", "2020-07-03"), "\"2020-07-03T00:01:00.0000000Z\"");
    EXPECT_EQ(call("ms", "1", "2020-07-03"), "\"2020-07-03T00:00:00.0010000Z\"");
    EXPECT_EQ(call("mcs", "1", "2020-07-03"), "\"2020-07-03T00:00:00.0000010Z\"");
    EXPECT_EQ(call("ns", "199", "2020-07-03"), "\"2020-07-03T00:00:00.0000001Z\"");
    EXPECT_EQ(call("mm", "1", "2024-01-31"), "\"2024-02-29T00:00:00.0000000Z\"");
    EXPECT_EQ(call("mm", "-11", "2024-01-31"), "\"2023-02-28T00:00:00.0000000Z\"");
    EXPECT_EQ(call("yyyy", "1", "2024-02-29"), "\"2025-02-28T00:00:00.0000000Z\"");
    EXPECT_EQ(call("mm", "-13", "2024-01-15"), "\"2022-12-15T00:00:00.0000000Z\"");
    EXPECT_EQ(call("yyyy", "7976", "2024-01-01"), "");
    EXPECT_EQ(call("yyyy", "-2024", "2024-01-01"), "");
    EXPECT_EQ(call("dd", "9223372036854775807", "2024-01-01"), "");
    EXPECT_EQ(call("mm", "9223372036854775807", "2024-01-01"), "");
    EXPECT_EQ(call("dd", "1", "9999-12-31"), "");
    EXPECT_EQ(call("dd", "1.5", "2024-01-01"), "");
    EXPECT_EQ(call("xx", "1", "2024-01-01"), "");
    EXPECT_EQ(call("dd", "1", "no time"), "");
}

TEST(DateFunctions, Difference) {
    const auto call = [](std::string_view part, std::string_view from, std::string_view to) {
        return FunctionTest().print("DATETIMEDIFF(\"" + std::string(part) + "\", \"" +
                                    std::string(from) + "\", \"" + std::string(to) + "\")");
    };
    const char* const early = "2018-03-05T05:00:00.0000000";
    const char* const late = "2019-02-04T16:00:00.0000000";
    EXPECT_EQ(call("yyyy", late, early), "-1");
    EXPECT_EQ(call("mm", late, early), "-11");
    EXPECT_EQ(call("dd", late, early), "-336");
    EXPECT_EQ(call("hh", late, early), "-8075");
    EXPECT_EQ(call("ss", late, early), "-29070000");
    EXPECT_EQ(call("yyyy", early, late), "1");
    EXPECT_EQ(call("mm", early, late), "11");
    EXPECT_EQ(call("dd", early, late), "336");
    EXPECT_EQ(call("hh", early, late), "8075");
    EXPECT_EQ(call("ss", early, late), "29070000");
    // Boundaries, not durations.
    EXPECT_EQ(call("yyyy", "2019-12-31T23:59:59", "2020-01-01"), "1");
    EXPECT_EQ(call("dd", "2019-12-31T23:59:59", "2020-01-01"), "1");
    EXPECT_EQ(call("dd", "1969-12-31T23:59:59", "1970-01-01"), "1");
    EXPECT_EQ(call("hh", "2020-01-01T00:00:00", "2020-01-01T00:59:59"), "0");
    EXPECT_EQ(call("ns", "2020-01-01", "2020-01-01T00:00:00.0000001"), "100");
    EXPECT_EQ(call("ns", "0001-01-01", "9999-12-31"), "3.155378112e+20");
    EXPECT_EQ(call("mcs", "0001-01-01", "9999-12-31"), "315537811200000000");
    EXPECT_EQ(call("week", early, late), "");
    EXPECT_EQ(call("dd", "x", late), "");
}

TEST(DateFunctions, Bin) {
    const auto call = [](std::string_view rest) {
        return FunctionTest().print("DATETIMEBIN(\"2021-01-08T18:35:00.0000000\", " +
                                    std::string(rest) + ")");
    };
    EXPECT_EQ(call("\"dd\""), "\"2021-01-08T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"hh\""), "\"2021-01-08T18:00:00.0000000Z\"");
    EXPECT_EQ(call("\"ss\""), "\"2021-01-08T18:35:00.0000000Z\"");
    EXPECT_EQ(call("\"hh\", 5"), "\"2021-01-08T15:00:00.0000000Z\"");
    EXPECT_EQ(call("\"dd\", 7"), "\"2021-01-07T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"dd\", 7, \"1601-01-01T00:00:00.0000000\""),
              "\"2021-01-04T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"yyyy\""), "\"2021-01-01T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"mm\", 5"), "\"2020-11-01T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"yyyy\", 100"), "\"1970-01-01T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"mm\", 1, \"2020-01-15\""), "\"2020-12-15T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"dd\", 7, \"2021-01-09\""), "\"2021-01-02T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"yyyy\", 1, \"2022-01-01\""), "\"2021-01-01T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"ns\", 50"), "\"2021-01-08T18:35:00.0000000Z\"");
    EXPECT_EQ(call("\"dd\", 9223372036854775807"), "\"1970-01-01T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"yyyy\", 9223372036854775807"), "\"1970-01-01T00:00:00.0000000Z\"");
    EXPECT_EQ(call("\"dd\", 9223372036854775807, \"2022-01-01\""), "");
    EXPECT_EQ(call("\"yyyy\", 9223372036854775807, \"2022-01-01\""), "");
    EXPECT_EQ(call("\"dd\", 0"), "");
    EXPECT_EQ(call("\"dd\", -1"), "");
    EXPECT_EQ(call("\"dd\", 1.5"), "");
    EXPECT_EQ(call("\"dd\", 1, \"1600-12-31\""), "");
    EXPECT_EQ(call("\"week\""), "");
}

TEST(DateFunctions, Format) {
    const auto call = [](std::string_view format) {
        return FunctionTest().print("DATETIMEFORMAT(\"2024-10-10 14:40:20\", \"" +
                                    std::string(format) + "\")");
    };
    EXPECT_EQ(call("yyyyMMdd"), "\"20241010\"");
    EXPECT_EQ(call("To\\\\da\\\\y i\\\\s: yyyy-MM-ddTHH:mm:ss.fff"),
              "\"Today is: 2024-10-10T14:40:20.000\"");
    EXPECT_EQ(call("To\\\\da\\\\y i\\\\s: yyyy-MM-ddTHH:mm:ss.FFF"),
              "\"Today is: 2024-10-10T14:40:20.\"");
    EXPECT_EQ(call("yy M d h:m:s tt"), "\"24 10 10 2:40:20 PM\"");
    EXPECT_EQ(call("ddd, dd MMM yyyy; dddd MMMM"), "\"Thu, 10 Oct 2024; Thursday October\"");
    EXPECT_EQ(call("é 😀 \\\\é"), "\"é 😀 é\"");
    EXPECT_EQ(call(""), "\"\"");
    EXPECT_EQ(call("ffffffff"), "");
    EXPECT_EQ(call("\\\\"), "");
    expect_results({
        {"DATETIMEFORMAT(\"2024-01-02T03:04:05.1230000\", \"d/M H:h:m:s f ff FFFFFFF t\")",
         "\"2/1 3:3:4:5 1 12 123 A\""},
        {"DATETIMEFORMAT(\"2024-01-02T00:04:05\", \"h hh\")", "\"12 12\""},
        {"DATETIMEFORMAT(\"0099-01-02\", \"yyyyy yyyy y\")", "\"00099 0099 99\""},
        {"DATETIMEFORMAT(\"no time\", \"yyyy\")", ""},
    });
}

TEST(DateFunctions, PartsAndConversions) {
    const std::string part = "DATETIMEPART(\"";
    const std::string time = "\", \"2016-05-29T08:30:00.1301617\")";
    expect_results({
        {part + "yyyy" + time, "2016"},
        {part + "mm" + time, "5"},
        {part + "dd" + time, "29"},
        {part + "hh" + time, "8"},
        {part + "mi" + time, "30"},
        {part + "ss" + time, "0"},
        {part + "ms" + time, "130"},
        {part + "ns" + time, "130161700"},
        {part + "xx" + time, ""},
        {"DATETIMEFROMPARTS(2017, 4, 20)", "\"2017-04-20T00:00:00.0000000Z\""},
        {"DATETIMEFROMPARTS(2017, 4, 20, 13, 15)", "\"2017-04-20T13:15:00.0000000Z\""},
        {"DATETIMEFROMPARTS(-2000, -1, -1)", ""},
        {"DATETIMEFROMPARTS(2017, 2, 29)", ""},
        {"DATETIMEFROMPARTS(2017, 4, 20, 24)", ""},
        {"DATETIMEFROMPARTS(2017, 4, 20, 0, 0, 0, 10000000)", ""},
        {"DATETIMEFROMPARTS(2017, 4.5, 20)", ""},
        {"DATETIMEFROMPARTS(9223372036854775807, 1, 1)", ""},
        {"TICKSTODATETIME(0)", "\"1970-01-01T00:00:00.0000000Z\""},
        {"TICKSTODATETIME(-116444736000000000)", "\"1601-01-01T00:00:00.0000000Z\""},
        {"TICKSTODATETIME(9223372036854775807)", ""},
        {"TICKSTODATETIME(0.5)", ""},
        {"TIMESTAMPTODATETIME(0)", "\"1970-01-01T00:00:00.0000000Z\""},
        {"TIMESTAMPTODATETIME(-11644473600000)", "\"1601-01-01T00:00:00.0000000Z\""},
        {"TIMESTAMPTODATETIME(9223372036854775807)", ""},
        {"DATETIMETOTICKS(\"1969-12-31T23:59:59.9999999\")", "-1"},
        {"DATETIMETOTIMESTAMP(\"1969-12-31T23:59:59.9999999\")", "-1"},
        {"DATETIMETOTIMESTAMP(\"2015-05-19\")", "1431993600000"},
        {"DATETIMETOTICKS(\"2015\")", ""},
        {"DAY(\"2000-12-12T10:00:00\")", "12"},
        {"DAY(\"1989-03-03T12:12:12.1234567Z\")", "3"},
        {"MONTH(\"x\")", ""},
        {"YEAR(\"2024-01-10T14:15:20\")", "2024"},
        {"IS_DATETIME(\"2024-12-12Z\")", "true"},
        {"IS_DATETIME(\"2024-12-12 20:21:25.123Z\")", "true"},
        {"IS_DATETIME(\"2024-12-12T20Z\")", "false"},
        {"IS_DATETIME(5)", "false"},
        {"IS_DATETIME(undefined)", "false"},
    });
}

TEST(DateFunctions, Now) {
    expect_results({
        {"NOW()", "\"2024-10-14T14:20:30.6668888Z\""},
        {"NOW(\"yyyy\", 1)", "\"2025-10-14T14:20:30.6668888Z\""},
        {"NOW(\"yyyy\", -1)", "\"2023-10-14T14:20:30.6668888Z\""},
        {"NOW(\"ss\", 30)", "\"2024-10-14T14:21:00.6668888Z\""},
        {"NOW(\"ms\", 4)", "\"2024-10-14T14:20:30.6708888Z\""},
        {"NOW(\"ms\")", ""},
        {"AGO(\"yyyy\", 1)", "\"2023-10-14T14:20:30.6668888Z\""},
        {"AGO(\"yyyy\", -1)", "\"2025-10-14T14:20:30.6668888Z\""},
        {"AGO(\"ss\", 30)", "\"2024-10-14T14:20:00.6668888Z\""},
        {"AGO(\"ms\", 4)", "\"2024-10-14T14:20:30.6628888Z\""},
        {"AGO(\"dd\", -9223372036854775808)", ""},
        {"AGO(\"dd\", 0.5)", ""},
        {"GETCURRENTDATETIME()", "\"2024-10-14T14:20:30.6668888Z\""},
        {"GETCURRENTTICKS()", "17289156306668888"},
        {"GETCURRENTTIMESTAMP()", "1728915630666"},
        {"GETCURRENTDATETIMESTATIC()", "\"2024-10-14T14:20:30.0000000Z\""},
        {"GETCURRENTTICKSSTATIC()", "17289156300000000"},
        {"GETCURRENTTIMESTAMPSTATIC()", "1728915630000"},
    });
    EXPECT_FALSE(find_function("NOW")->deterministic);
    EXPECT_TRUE(find_function("GETCURRENTTICKSSTATIC")->deterministic);
}

}  // namespace date_time_test
}  // namespace orrery::sql
