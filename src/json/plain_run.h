// How far a JSON string goes on without a quote or an escape.

#pragma once

#include <bit>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace orrery::json {

// The first quote or backslash from `at` on, or also the first control character, which no string
// may have; `end` if there is none. Inline and not memchr: most names and values are shorter than
// what it takes to call that.
template <bool kControls>
inline const char* run_end(const char* at, const char* end) {
    constexpr char kControlMax = 0x1f;
#ifdef __SSE2__
    constexpr std::ptrdiff_t kStep = sizeof(__m128i);
    const __m128i quotes = _mm_set1_epi8('"');
    const __m128i backslashes = _mm_set1_epi8('\\');
    const __m128i controls = _mm_set1_epi8(kControlMax);
    for (; end - at >= kStep; at += kStep) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));  // NOLINT
        __m128i found =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, backslashes));
        if constexpr (kControls) {
            const __m128i small = _mm_cmpeq_epi8(_mm_min_epu8(bytes, controls), bytes);
            found = _mm_or_si128(found, small);
        }
        const auto places = static_cast<unsigned>(_mm_movemask_epi8(found));
        if (places != 0) return at + std::countr_zero(places);
    }
#endif
    const auto ends = [](char c) {
        if (kControls && static_cast<unsigned char>(c) <= kControlMax) return true;
        return c == '"' || c == '\\';
    };
    while (at != end && !ends(*at)) {
        ++at;
    }
    return at;
}

inline const char* plain_run_end(const char* at, const char* end) {
    return run_end<false>(at, end);
}
inline const char* valid_run_end(const char* at, const char* end) { return run_end<true>(at, end); }

}  // namespace orrery::json
