#!/usr/bin/env bash
# Runs clang-tidy on files that differ from HEAD (or from the given commit), or with --all on all
# files. Needs a configured build/dev.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --all ]; then
    files=$(git ls-files 'src/*.cc')
else
    files=$(git diff --name-only --diff-filter=d "${1:-HEAD}" -- 'src/*.cc'
            git ls-files --others --exclude-standard -- 'src/*.cc')
fi
[ -n "$files" ] || exit 0
# Fuzzers are not part of build/dev.
grep -v '_fuzz\.cc$' <<<"$files" | xargs -P 2 -n 1 clang-tidy-14 -p build/dev --quiet
