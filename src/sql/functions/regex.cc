#include "sql/functions/regex.h"

#include <algorithm>
#include <optional>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/check.h"

namespace orrery::sql {

namespace {

namespace limits = model::limits;

// Worst-case work of an uncounted search, in characters examined.
constexpr std::uint64_t kQuickWorkMax = 400'000'000;
// With fewer steps per start than this, an uncounted search is not worth trying.
constexpr std::uint64_t kQuickStepsMin = 64;
constexpr std::size_t kJitStackBytesMin = 32 * 1024;

std::optional<std::uint32_t> parse_modifiers(std::string_view modifiers) {
    // \C would match part of a character.
    std::uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
    for (const char modifier : modifiers) {
        switch (modifier) {
            case 'm':
                options |= PCRE2_MULTILINE;
                break;
            case 's':
                options |= PCRE2_DOTALL;
                break;
            case 'i':
                options |= PCRE2_CASELESS;
                break;
            case 'x':
                options |= PCRE2_EXTENDED;
                break;
            default:
                return std::nullopt;
        }
    }
    return options;
}

template <typename T, void (*Free)(T*)>
struct Freer {
    void operator()(T* pointer) const { Free(pointer); }
};
template <typename T, void (*Free)(T*)>
using Owned = std::unique_ptr<T, Freer<T, Free>>;

struct Count {
    Arena& arena;
    std::uint64_t left;
    std::uint64_t per_item;
    std::size_t position = 0;
};

int count_item(pcre2_callout_block* item, void* data) {
    Count& count = *static_cast<Count*>(data);
    const std::size_t from = std::min(count.position, item->current_position);
    const std::size_t to = std::max(count.position, item->current_position);
    const std::uint64_t cost = count.per_item + (to - from);
    count.position = item->current_position;
    if (cost > count.left || !count.arena.count_bytes(cost)) return PCRE2_ERROR_CALLOUT;
    count.left -= cost;
    return 0;
}

}  // namespace

struct Regex::Program {
    Owned<pcre2_code, pcre2_code_free> code;
    Owned<pcre2_match_context, pcre2_match_context_free> context;
    Owned<pcre2_match_data, pcre2_match_data_free> data;
    Owned<pcre2_jit_stack, pcre2_jit_stack_free> stack;
    int uses = 0;

    static std::unique_ptr<Program> make(std::string_view pattern, std::uint32_t options) {
        const Owned<pcre2_compile_context, pcre2_compile_context_free> compiling(
            pcre2_compile_context_create(nullptr));
        pcre2_set_max_pattern_length(compiling.get(), limits::kRegexPatternBytesMax);
        int error = 0;
        PCRE2_SIZE offset = 0;
        auto out = std::make_unique<Program>();
        out->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                                      pattern.size(),
                                      options,
                                      &error,
                                      &offset,
                                      compiling.get()));
        if (out->code == nullptr) return nullptr;
        out->context.reset(pcre2_match_context_create(nullptr));
        out->data.reset(pcre2_match_data_create_from_pattern(out->code.get(), nullptr));
        CHECK(out->context != nullptr && out->data != nullptr);
        pcre2_set_depth_limit(out->context.get(), limits::kRegexDepthMax);
        pcre2_set_heap_limit(out->context.get(), limits::kRegexHeapKilobytesMax);
        return out;
    }

    // JIT compilation takes longer than one short search without it.
    void count_use() {
        if (++uses != 2) return;
        if (pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE) != 0) return;
        stack.reset(
            pcre2_jit_stack_create(kJitStackBytesMin, limits::kRegexStackBytesMax, nullptr));
        if (stack != nullptr) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    }

    int match(std::string_view text, std::size_t from) {
        count_use();
        const int result = match_with(text, from, 0);
        // The JIT stack is small; the interpreter may use the heap up to its limit.
        return result == PCRE2_ERROR_JIT_STACKLIMIT ? match_with(text, from, PCRE2_NO_JIT) : result;
    }

    int match_with(std::string_view text, std::size_t from, std::uint32_t options) {
        return pcre2_match(code.get(),
                           reinterpret_cast<PCRE2_SPTR>(text.data()),
                           text.size(),
                           from,
                           options | PCRE2_NO_UTF_CHECK,
                           data.get(),
                           context.get());
    }

    Outcome outcome(int result, Match& match) const {
        if (result == PCRE2_ERROR_NOMATCH) return Outcome::kNoMatch;
        if (result < 0) return Outcome::kGaveUp;
        const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data.get());
        match = {.from = ends[0], .until = std::max(ends[0], ends[1])};
        return Outcome::kMatch;
    }

    bool has_back_references() const {
        std::uint32_t highest = 0;
        pcre2_pattern_info(code.get(), PCRE2_INFO_BACKREFMAX, &highest);
        return highest > 0;
    }
};

Regex::Regex(std::string_view pattern, std::string_view modifiers) : pattern_(pattern) {
    const auto options = parse_modifiers(modifiers);
    if (!options) return;
    options_ = *options;
    quick_ = Program::make(pattern_, options_);
}

Regex::~Regex() = default;

Regex::Outcome Regex::find(
    std::string_view text, std::size_t from, Work& work, Match& match, Arena& arena) {
    // At most `steps` passes over n characters from each of n starts.
    const std::uint64_t size = std::max<std::uint64_t>(text.size(), 1);
    const std::uint64_t steps = kQuickWorkMax / size / size;
    if (!work.once || steps < kQuickStepsMin) return find_counted(text, from, work, match, arena);
    pcre2_set_match_limit(quick_->context.get(), static_cast<std::uint32_t>(steps));
    const int result = quick_->match(text, from);
    // How much work that was is not known.
    if (!arena.count_call()) return Outcome::kGaveUp;
    if (result != PCRE2_ERROR_MATCHLIMIT) return quick_->outcome(result, match);
    return find_counted(text, from, work, match, arena);
}

Regex::Outcome Regex::find_counted(
    std::string_view text, std::size_t from, Work& work, Match& match, Arena& arena) {
    if (counted_ == nullptr) {
        counted_ = Program::make(pattern_, options_ | PCRE2_AUTO_CALLOUT);
        if (counted_ == nullptr) return Outcome::kGaveUp;  // too long with the callouts
    }
    // A back reference that fails compares text without advancing.
    const std::uint64_t per_item = counted_->has_back_references() ? 1 + text.size() / 64 : 1;
    Count count{.arena = arena, .left = work.left, .per_item = per_item, .position = from};
    pcre2_set_callout(counted_->context.get(), count_item, &count);
    const Outcome outcome = counted_->outcome(counted_->match(text, from), match);
    work.left = count.left;
    return outcome;
}

}  // namespace orrery::sql
