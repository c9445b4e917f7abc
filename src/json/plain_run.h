// How far a JSON string goes on without a quote or an escape.

#pragma once

#include <bit>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace orrery::json {

// The first quote or backslash from `at` on; `end` if there is none. Inline and not memchr: most
// names and values are shorter than what it takes to call that.
inline const char* plain_run_end(const char* at, const char* end) {
#ifdef __SSE2__
    constexpr std::ptrdiff_t kStep = sizeof(__m128i);
    const __m128i quotes = _mm_set1_epi8('"');
    const __m128i backslashes = _mm_set1_epi8('\\');
    for (; end - at >= kStep; at += kStep) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));  // NOLINT
        const __m128i found =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, backslashes));
        const auto places = static_cast<unsigned>(_mm_movemask_epi8(found));
        if (places != 0) return at + std::countr_zero(places);
    }
#endif
    while (at != end && *at != '"' && *at != '\\') {
        ++at;
    }
    return at;
}

}  // namespace orrery::json
