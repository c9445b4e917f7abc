# The project's commands; see CONTRIBUTING.md. `make` alone lists them.
FUZZ_SECONDS ?= 600

.PHONY: help run build package test check tidy format bench fuzz hooks setup-build setup-package setup-check setup-test clean

help:  ## list the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

run: setup-build  ## build and start a server with its data in ./orrery-data
	cmake --preset release
	cmake --build --preset release --target orrery
	exec build/release/orrery serve --data ./orrery-data

build: setup-build  ## build everything in release mode
	cmake --preset release
	cmake --build --preset release

package: setup-package  ## build the packages (deb, tar.gz, wheel, npm) into build/packages
	cmake --preset release
	cmake --build --preset release --target orrery
	packaging/build.py

test: setup-test  ## run every test and check
	@tools/ci.py test

check: setup-check  ## run the fast checks: format, layout, unit tests, golden tests in memory
	@tools/ci.py check

tidy: setup-check  ## run clang-tidy on what has changed since tools/clang_tidy.base
	cmake --preset asan
	tools/clang_tidy.py

format: setup-check  ## format all C++ files
	git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

bench: build  ## run the benchmarks and the programs that set their limits, print one table
	bench/run.py

fuzz: setup-check  ## run every fuzzer for FUZZ_SECONDS
	cmake --preset asan
	cmake --build --preset asan --target fuzzers
	tools/fuzz.py --seconds $(FUZZ_SECONDS)

hooks:  ## install the pre-commit hook: format and check
	git config core.hooksPath tools/hooks

clean:  ## remove the build directory
	rm -rf build

setup-build:
	@tools/setup.sh build

setup-package:
	@tools/setup.sh package

setup-check:
	@tools/setup.sh check

setup-test:
	@tools/setup.sh test
