#include "sql/functions/arguments.h"
#include "sql/functions/date_time.h"
#include "sql/functions/groups.h"
#include "sql/functions/room.h"

namespace orrery::sql {

namespace {

using Arguments = std::span<const Value>;

Value printed(std::optional<Ticks> ticks, FunctionContext& context) {
    if (!ticks) return Value::undefined();
    return string_result(print_date_time(*ticks), context);
}

// Ticks since 1970 as a string; undefined outside the calendar.
Value printed_checked(Ticks ticks, FunctionContext& context) {
    if (ticks < kTicksMin || ticks >= kTicksEnd) return Value::undefined();
    return printed(ticks, context);
}

Value date_time_add(Arguments arguments, FunctionContext& context) {
    const auto part = parse_date_part(arguments[0].string());
    const auto count = whole(arguments[1]);
    const auto time = parse_date_time(arguments[2].string());
    if (!part || !count || !time) return Value::undefined();
    return printed(add(*part, *count, *time), context);
}

Value date_time_bin(Arguments arguments, FunctionContext& context) {
    const auto time = parse_date_time(arguments[0].string());
    const auto part = parse_date_part(arguments[1].string());
    const auto size = arguments.size() > 2 ? whole(arguments[2]) : 1;
    const auto origin = arguments.size() > 3 ? parse_date_time(arguments[3].string()) : 0;
    if (!time || !part || !size || !origin) return Value::undefined();
    if (*size <= 0 || *origin < kTicksWindowsEpoch) return Value::undefined();
    return printed(bin({.part = *part, .size = *size, .origin = *origin}, *time), context);
}

Value date_time_difference(Arguments arguments, FunctionContext& /*context*/) {
    const auto part = parse_date_part(arguments[0].string());
    const auto from = parse_date_time(arguments[1].string());
    const auto to = parse_date_time(arguments[2].string());
    if (!part || !from || !to) return Value::undefined();
    return Value::number(boundaries(*part, *from, *to));
}

Value date_time_format(Arguments arguments, FunctionContext& context) {
    const auto time = parse_date_time(arguments[0].string());
    if (!time) return Value::undefined();
    const auto text = format_date_time(*time, arguments[1].string());
    return text ? string_result(*text, context) : Value::undefined();
}

Value date_time_from_parts(Arguments arguments, FunctionContext& context) {
    DateTime time;
    std::int64_t* const fields[] = {
        &time.year, &time.month, &time.day, &time.hour, &time.minute, &time.second, &time.fraction};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto value = whole(arguments[i]);
        if (!value) return Value::undefined();
        *fields[i] = *value;
    }
    return printed(to_ticks(time), context);
}

Value extracted(std::optional<DatePart> part, const Value& text) {
    const auto time = parse_date_time(text.string());
    if (!part || !time) return Value::undefined();
    return Value::number(extract(*part, *time));
}

Value date_time_part(Arguments arguments, FunctionContext& /*context*/) {
    return extracted(parse_date_part(arguments[0].string()), arguments[1]);
}

template <DatePart Part>
Value fixed_part(Arguments arguments, FunctionContext& /*context*/) {
    return extracted(Part, arguments[0]);
}

template <Ticks Unit>
Value date_time_to(Arguments arguments, FunctionContext& /*context*/) {
    const auto time = parse_date_time(arguments[0].string());
    return time ? Value::number(floor_divide(*time, Unit)) : Value::undefined();
}

template <Ticks Unit>
Value date_time_from(Arguments arguments, FunctionContext& context) {
    const auto count = whole(arguments[0]);
    Ticks ticks = 0;
    if (!count || __builtin_mul_overflow(*count, Unit, &ticks)) return Value::undefined();
    return printed_checked(ticks, context);
}

Value current_date_time(Arguments /*arguments*/, FunctionContext& context) {
    return printed_checked(context.now_ticks, context);
}

Value query_date_time(Arguments /*arguments*/, FunctionContext& context) {
    return printed_checked(context.query_ticks, context);
}

template <Ticks Unit>
Value current(Arguments /*arguments*/, FunctionContext& context) {
    return Value::number(floor_divide(context.now_ticks, Unit));
}

template <Ticks Unit>
Value at_query(Arguments /*arguments*/, FunctionContext& context) {
    return Value::number(floor_divide(context.query_ticks, Unit));
}

// NOW(part, n) and, with the sign reversed, AGO(part, n).
Value moved(Arguments arguments, bool back, FunctionContext& context) {
    const auto part = parse_date_part(arguments[0].string());
    const auto count = whole(arguments[1]);
    std::int64_t opposite = 0;
    if (!part || !count || __builtin_sub_overflow(0, *count, &opposite)) return Value::undefined();
    return printed(add(*part, back ? opposite : *count, context.now_ticks), context);
}

Value now(Arguments arguments, FunctionContext& context) {
    if (arguments.empty()) return current_date_time(arguments, context);
    if (arguments.size() < 2) return Value::undefined();
    return moved(arguments, false, context);
}

Value ago(Arguments arguments, FunctionContext& context) { return moved(arguments, true, context); }

constexpr Function kDateFunctions[] = {
    {"DATETIMEADD",
     3,
     3,
     "sns",
     date_time_add,
     "DATETIMEADD(part, n, dt)",
     "The time `n` parts later, earlier when `n` is negative; a day past the end of the month "
     "becomes its last day.",
     {"DATETIMEADD(\"mm\", 1, \"2020-07-03T00:00:00.0000000\")",
      "\"2020-08-03T00:00:00.0000000Z\""}},
    {"DATETIMEBIN",
     2,
     4,
     "ssns",
     date_time_bin,
     "DATETIMEBIN(dt, part [, size [, origin]])",
     "The start of the bin that the time falls into. Bins are `size` parts wide (default 1) and "
     "counted from the origin (default 1970-01-01).",
     {"DATETIMEBIN(\"2021-01-08T18:35:00.0000000\", \"hh\", 5)",
      "\"2021-01-08T15:00:00.0000000Z\""}},
    {"DATETIMEDIFF",
     3,
     3,
     "s",
     date_time_difference,
     "DATETIMEDIFF(part, start, end)",
     "How many boundaries of the part lie between two times, negative when the end comes first.",
     {"DATETIMEDIFF(\"mm\", \"2019-02-04T16:00:00.0000000\", \"2018-03-05T05:00:00.0000000\")",
      "-11"}},
    {"DATETIMEFORMAT",
     2,
     2,
     "s",
     date_time_format,
     "DATETIMEFORMAT(dt, format)",
     "The time in a format of the letters y M d H h m s f F t; a backslash makes a letter literal.",
     {"DATETIMEFORMAT(\"2024-10-10 14:40:20\", \"yyyy-MM-dd [HH:mm:ss]\")",
      "\"2024-10-10 [14:40:20]\""}},
    {"DATETIMEFROMPARTS",
     3,
     7,
     "n",
     date_time_from_parts,
     "DATETIMEFROMPARTS(year, month, day [, hour [, minute [, second [, fraction]]]])",
     "The time made from these integers, fraction in 100 ns; undefined when there is no such "
     "time.",
     {"DATETIMEFROMPARTS(2017, 4, 20, 13, 15, 20, 3456789)", "\"2017-04-20T13:15:20.3456789Z\""}},
    {"DATETIMEPART",
     2,
     2,
     "s",
     date_time_part,
     "DATETIMEPART(part, dt)",
     "One part of the time as a number.",
     {"DATETIMEPART(\"mcs\", \"2016-05-29T08:30:00.1301617\")", "130161"}},
    {"DATETIMETOTICKS",
     1,
     1,
     "s",
     date_time_to<1>,
     "DATETIMETOTICKS(dt)",
     "The number of 100 ns ticks since 1970.",
     {"DATETIMETOTICKS(\"2015-05-19T12:00:00.0000000\")", "14320368000000000"}},
    {"DATETIMETOTIMESTAMP",
     1,
     1,
     "s",
     date_time_to<kTicksPerMillisecond>,
     "DATETIMETOTIMESTAMP(dt)",
     "The number of milliseconds since 1970.",
     {"DATETIMETOTIMESTAMP(\"2015-05-19T12:00:00.0000000\")", "1432036800000"}},
    {"DAY",
     1,
     1,
     "s",
     fixed_part<DatePart::kDay>,
     "DAY(dt)",
     "The day of the month.",
     {"DAY(\"2024-01-10\")", "10"}},
    {"MONTH",
     1,
     1,
     "s",
     fixed_part<DatePart::kMonth>,
     "MONTH(dt)",
     "The month, 1 to 12.",
     {"MONTH(\"2000-12-12T10:00:00\")", "12"}},
    {"TICKSTODATETIME",
     1,
     1,
     "n",
     date_time_from<1>,
     "TICKSTODATETIME(n)",
     "The time that many 100 ns ticks after 1970.",
     {"TICKSTODATETIME(15973607943002652)", "\"2020-08-13T23:19:54.3002652Z\""}},
    {"TIMESTAMPTODATETIME",
     1,
     1,
     "n",
     date_time_from<kTicksPerMillisecond>,
     "TIMESTAMPTODATETIME(n)",
     "The time that many milliseconds after 1970.",
     {"TIMESTAMPTODATETIME(1597360794300)", "\"2020-08-13T23:19:54.3000000Z\""}},
    {"YEAR",
     1,
     1,
     "s",
     fixed_part<DatePart::kYear>,
     "YEAR(dt)",
     "The year.",
     {"YEAR(\"1989-03-03T12:12:12.1234567Z\")", "1989"}},
};

// The static ones are constant during a query, so a filter with them may use an index.
constexpr Function kClockFunctions[] = {
    {"AGO",
     2,
     2,
     "sn",
     ago,
     "AGO(part, n)",
     "The time `n` parts before now.",
     {"IS_DATETIME(AGO(\"dd\", 1))", "true"},
     {},
     false},
    {"GETCURRENTDATETIME",
     0,
     0,
     "",
     current_date_time,
     "GETCURRENTDATETIME()",
     "The current time.",
     {"IS_DATETIME(GETCURRENTDATETIME())", "true"},
     {},
     false},
    {"GETCURRENTDATETIMESTATIC",
     0,
     0,
     "",
     query_date_time,
     "GETCURRENTDATETIMESTATIC()",
     "The time at which the query started.",
     {"IS_DATETIME(GETCURRENTDATETIMESTATIC())", "true"}},
    {"GETCURRENTTICKS",
     0,
     0,
     "",
     current<1>,
     "GETCURRENTTICKS()",
     "The current time in 100 ns ticks since 1970.",
     {"IS_INTEGER(GETCURRENTTICKS())", "true"},
     {},
     false},
    {"GETCURRENTTICKSSTATIC",
     0,
     0,
     "",
     at_query<1>,
     "GETCURRENTTICKSSTATIC()",
     "The time at which the query started, in 100 ns ticks since 1970.",
     {"IS_INTEGER(GETCURRENTTICKSSTATIC())", "true"}},
    {"GETCURRENTTIMESTAMP",
     0,
     0,
     "",
     current<kTicksPerMillisecond>,
     "GETCURRENTTIMESTAMP()",
     "The current time in milliseconds since 1970.",
     {"IS_INTEGER(GETCURRENTTIMESTAMP())", "true"},
     {},
     false},
    {"GETCURRENTTIMESTAMPSTATIC",
     0,
     0,
     "",
     at_query<kTicksPerMillisecond>,
     "GETCURRENTTIMESTAMPSTATIC()",
     "The time at which the query started, in milliseconds since 1970.",
     {"IS_INTEGER(GETCURRENTTIMESTAMPSTATIC())", "true"}},
    {"NOW",
     0,
     2,
     "sn",
     now,
     "NOW([part, n])",
     "The current time, or the time `n` parts after it.",
     {"IS_DATETIME(NOW(\"hh\", 1))", "true"},
     {},
     false},
};

}  // namespace

std::span<const Function> date_functions() { return kDateFunctions; }
std::span<const Function> date_clock_functions() { return kClockFunctions; }

}  // namespace orrery::sql
