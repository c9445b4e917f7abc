#!/usr/bin/env python3
"""Runs the project's checks and tests, two steps at a time, and prints one result line per step.

    tools/ci.py check              the fast lane
    tools/ci.py test               everything
    tools/ci.py golden sdk ...     single steps, with the builds they need

The output of a step is in build/logs/<step>.log; if it fails, the end of it is printed.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build/logs"
LANES = 2
STEP_SECONDS_MAX = 1800
TAIL_LINES = 100


@dataclass(frozen=True)
class Step:
    name: str
    command: str
    needs: tuple[str, ...] = ()
    # Takes both cores by itself, as a compiler does: one such step at a time, beside one that mostly waits.
    compiles: bool = False
    # Runs with no other step at the same time.
    alone: bool = False


def build(preset: str, *targets: str) -> Step:
    what = f" --target {' '.join(targets)}" if targets else ""
    return Step(f"build-{preset}",
                f"cmake --preset {preset} && cmake --build --preset {preset} --parallel 2{what}",
                compiles=True)


def unit(preset: str) -> Step:
    return Step(f"unit-{preset}", f"ctest --preset {preset}", (f"build-{preset}",))


def golden(name: str, preset: str, configs: str = "") -> Step:
    chosen = f" --config {configs}" if configs else ""
    return Step(name, f"tests/golden/run.py --server build/{preset}/orrery{chosen}",
                (f"build-{preset}",))


def sanitized_sdk(preset: str) -> Step:
    return Step(f"sdk-{preset}", f"tests/sdk/run.py --server build/{preset}/orrery "
                "--sdk js,python --partitions 7", (f"build-{preset}",))


def on_release(name: str, command: str, alone: bool = False) -> Step:
    return Step(name, command, ("build-release",), alone=alone)


STEPS = {step.name: step for step in [
    Step("format", "git ls-files '*.cc' '*.h' | xargs clang-format-14 --dry-run --Werror"),
    Step("layout", "tools/tidy.py"),
    Step("clang-tidy", "cmake --preset asan && tools/clang_tidy.py", compiles=True),
    # clang-tidy compiles changed files on their own; all headers take too long for every run.
    Step("headers", "cmake --preset dev && cmake --build --preset dev --parallel 2 "
         "--target all_verify_interface_header_sets", compiles=True),
    Step("protocol", "python3 tests/protocol/run.py"),
    build("dev"), unit("dev"), golden("golden-dev", "dev", "ephemeral"),
    build("release", "orrery"), golden("golden", "release"),
    golden("golden-cluster", "release", "cluster"),
    on_release("sdk", "tests/sdk/run.py"),
    on_release("differential", "python3 tests/differential/run.py --known D7"),
    on_release("crash", "python3 tests/crash/run.py --rounds 200"),
    on_release("backup", "python3 tests/backup/run.py"),
    on_release("disk", "python3 tests/abuse/disk.py"),
    on_release("upgrade", "python3 tests/upgrade/run.py"),
    on_release("binary", "python3 tests/lib/hybridrow_test.py && python3 tests/binary/run.py"),
    on_release("metrics", "python3 tests/metrics/run.py"),
    on_release("access", "python3 tests/access/run.py && python3 tests/access/logins.py"),
    on_release("isolation",
               "python3 tests/isolation/checker_test.py && python3 tests/isolation/run.py"),
    on_release("splits", "python3 tests/splits/run.py"),
    on_release("changefeed", "python3 tests/changefeed/run.py"),
    on_release("throttling", "python3 tests/throttling/run.py"),
    on_release("consistency", "python3 tests/consistency/run.py"),
    on_release("isolation-splits", "ORRERY_CHURN_PARTITIONS_MS=100 python3 tests/isolation/run.py "
               "--partitions 2 --seconds 8 --kills 2"),
    on_release("program", "python3 tests/tools/program.py"),
    on_release("export", "python3 tests/tools/export.py"),
    on_release("import", "python3 tests/tools/run.py"),
    on_release("migrate", "python3 tests/tools/migrate.py"),
    on_release("bench", "python3 tests/tools/bench.py"),
    on_release("shell", "python3 tests/tools/shell.py"),
    on_release("doctor", "python3 tests/tools/doctor.py"),
    on_release("packages", "python3 tests/packages/run.py"),
    on_release("modelling", "python3 examples/modelling/run.py"),
    on_release("abuse", "python3 tests/abuse/run.py", alone=True),
    # Alone: its storage answers late when the machine is busy, and leases run out.
    on_release("cluster", "python3 tests/cluster/checker_test.py && python3 tests/cluster/smoke.py --sdk '' && "
               "python3 tests/cluster/run.py --only stop,kill --disturbances 4", alone=True),
    build("asan"), unit("asan"), golden("golden-asan", "asan", "default,page-size-1"),
    sanitized_sdk("asan"), sanitized_sdk("tsan"),
    Step("crash-asan", "python3 tests/crash/run.py --server build/asan/orrery --rounds 20",
         ("build-asan",)),
    Step("isolation-asan", "python3 tests/isolation/run.py --server build/asan/orrery --seconds 8 --kills 2",
         ("build-asan",)),
    Step("rados", "export LSAN_OPTIONS=suppressions=$PWD/tests/rados/leaks.txt; "
         "tests/lib/ceph.py run -- build/asan/storage_cluster_test && "
         "tests/rados/run.py --driver build/asan/rados_driver", ("build-asan",)),
    build("tsan"), unit("tsan"), golden("golden-tsan", "tsan", "default"),
    Step("fuzz", "tools/fuzz.py --seconds 30", ("build-asan",), compiles=True),
]}
GROUPS = {
    "check": ["format", "layout", "build-dev", "unit-dev", "golden-dev"],
    # In this order as far as dependencies allow: each build runs during the tests of the previous one.
    "test": ["format", "layout", "build-release", "protocol", "crash", "build-asan", "sdk", "golden",
             "upgrade", "packages", "program", "doctor", "export", "import", "migrate", "bench", "shell", "backup",
             "binary", "metrics", "access",
             "isolation", "splits", "isolation-splits", "changefeed", "consistency", "throttling", "modelling", "differential",
             "build-tsan", "unit-asan", "rados", "golden-asan",
             "sdk-asan", "crash-asan", "isolation-asan", "disk", "unit-tsan", "golden-tsan", "sdk-tsan", "clang-tidy",
             "fuzz", "abuse", "golden-cluster", "cluster"],
}


class Runner:
    def __init__(self, names: list[str]):
        self.waiting = [STEPS[name] for name in names]
        self.running: dict[str, subprocess.Popen] = {}
        self.good: dict[str, bool] = {}
        self.passed = self.failed = 0
        self.skipped: list[str] = []
        self.changed = threading.Condition()

    def run(self) -> int:
        try:
            with self.changed:
                while self.waiting or self.running:
                    if not self.start_next():
                        self.changed.wait()
        except KeyboardInterrupt:
            for process in self.running.values():
                os.killpg(process.pid, signal.SIGTERM)
            print("interrupted", flush=True)
            return 130
        for text in self.skipped:
            print(f"skipped: {text}")
        print(summary(self.passed, self.failed, self.skipped))
        return 1 if self.failed else 0

    def start_next(self) -> bool:
        """Starts the first step that is ready, or fails one whose needs failed; false if all must wait."""
        for step in self.waiting:
            outcomes = [self.good.get(need) for need in step.needs]
            if False in outcomes:
                self.waiting.remove(step)
                self.good[step.name] = False
                self.failed += 1
                print(f"FAIL {step.name:14} not run: {', '.join(step.needs)} failed", flush=True)
                return True
            if None not in outcomes and self.has_room_for(step):
                self.waiting.remove(step)
                self.start(step)
                return True
        return False

    def has_room_for(self, step: Step) -> bool:
        beside = [STEPS[name] for name in self.running]
        if step.alone or any(other.alone for other in beside):
            return not beside
        return len(beside) < LANES and not (step.compiles and any(o.compiles for o in beside))

    def start(self, step: Step) -> None:
        log = LOGS / f"{step.name}.log"
        with open(log, "wb") as output:
            process = subprocess.Popen(["bash", "-c", step.command], cwd=ROOT, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        self.running[step.name] = process
        threading.Thread(target=self.watch, args=(step, process, log), daemon=True).start()

    def watch(self, step: Step, process: subprocess.Popen, log: pathlib.Path) -> None:
        started = time.monotonic()
        try:
            code = process.wait(STEP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        seconds = time.monotonic() - started
        with self.changed:
            said = log.read_text(errors="replace")
            passed, failed = counts(said, code == 0)
            skipped = re.findall(r"^skip (.+)", said, re.MULTILINE)
            self.passed += passed
            self.failed += failed
            self.skipped += [f"{step.name}: {text}" for text in skipped]
            self.good[step.name] = code == 0
            del self.running[step.name]
            print(f"{'ok  ' if code == 0 else 'FAIL'} {step.name:14} {seconds:6.1f} s  "
                  f"{summary(passed, failed, skipped)}", flush=True)
            if code != 0:
                tail = said.splitlines()[-TAIL_LINES:]
                print("\n".join(f"    {line}" for line in tail))
                print(f"    (exit code {code}; full log: {log.relative_to(ROOT)})", flush=True)
            self.changed.notify_all()


def summary(passed: int, failed: int, skipped: list[str]) -> str:
    return f"{passed} passed, {failed} failed" + (f", {len(skipped)} skipped" if skipped else "")


def counts(log: str, good: bool) -> tuple[int, int]:
    """The numbers of tests a step reports; a step without a report counts as one."""
    own = re.findall(r"^(\d+) passed, (\d+) failed", log, re.MULTILINE)
    ctest = re.search(r"(\d+) tests failed out of (\d+)", log)
    if own:
        passed, failed = map(int, own[-1])
    elif ctest:
        failed = int(ctest[1])
        passed = int(ctest[2]) - failed
    else:
        passed, failed = (1, 0) if good else (0, 1)
    return passed, failed if good else max(1, failed)


def with_needs(names: list[str]) -> list[str]:
    """The steps and their needs, each once, needs first."""
    out: list[str] = []
    for name in names:
        for wanted in (*with_needs(list(STEPS[name].needs)), name):
            if wanted not in out:
                out.append(wanted)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("steps", nargs="+", metavar="STEP",
                        help=f"{', '.join([*GROUPS, *STEPS])}")
    names = []
    for name in parser.parse_args().steps:
        if name not in GROUPS and name not in STEPS:
            parser.error(f"no such step: {name}")
        names += GROUPS.get(name, [name])
    LOGS.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the steps as Ctrl-C does
    return Runner(with_needs(names)).run()


if __name__ == "__main__":
    sys.exit(main())
