#!/usr/bin/env python3
"""Runs the official SDKs against the server: the same scenarios (scenarios.md) with 1 and 7 partitions,
and with partitions that are split and merged all the time."""

import argparse
import base64
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

sys.path.insert(0, str(HERE.parent / "golden"))

import parse  # noqa: E402
import queries  # noqa: E402
from lib.client import EMULATOR_KEY  # noqa: E402
from lib.install import Failure, call, install_once, install_python  # noqa: E402
from lib.server import DEFAULT_BINARY, Server, ServerError  # noqa: E402

ROOT = HERE.parents[1]
SCRIPTS = ROOT / "tests/scripts"
BUILD = ROOT / "build" / "sdk"
SUITE_SECONDS = 600
READONLY_KEY = base64.b64encode(bytes([9] * 64)).decode()
CHURN = "churn"  # instead of a number of partitions
CHURN_MS = 1000
# SDKs lose their place when a range is replaced in the middle of a query: documentdb ends with the 410, for
# example. Only what fails every time is the server's fault.
CHURN_ATTEMPTS = 6
# JavaScript (4.10) takes the 410 for the end of a GROUP BY and then waits for more without end; with a continuation
# token it answers a 410 with an empty last page; many small pages seldom get through, and a bulk waits for a second
# before it tries again. Python (4.17) begins the range again from its first row. In Java (4.81) the continuation token
# of the first half of a range that was split forgets where the second half is. Its handleChanges() has leases by range
# id, which know splits but no merges: of two ranges that are merged, it keeps one position, and loses changes of the
# other. documentdb leaves the ranges of a change feed, and so their 410, to its callers. It knows no merges either: it
# asks the merged range with the token of a part, which is 400.
CHURN_LEFT_OUT = {"js": "(query[.](group_by|golden|resume|parallel)|bulk[.].*)$", "python": "query[.]parallel$",
                  "java": "(changes[.]processor(_killed)?|query[.]resume)$", "documentdb": "(changes[.]|query[.]parallel$)"}


@dataclass(frozen=True)
class Tool:
    command: str
    version: list[str]
    minimum: tuple[int, ...]


@dataclass(frozen=True)
class Sdk:
    name: str
    tools: list[Tool]
    pins: list[str]  # a change in one of these files triggers a new installation
    install: Callable[[Path], None]
    programs: Callable[[dict], list[list[str]]]  # environment -> command lines


def main() -> int:
    options = parse_arguments()
    expected = read_scenarios()
    passed = failed = skipped = 0

    for script in scripts_without_case():
        failed += 1
        print(f"fail {script}: no case in tests/scripts/cases runs it", flush=True)

    ready = []
    for sdk in options.sdk:
        missing = next(filter(None, map(why_missing, sdk.tools)), None)
        if missing:
            skipped += 1
            print(f"skip {sdk.name}: {missing}", flush=True)
            if options.no_skip:
                failed += 1
            continue
        try:
            prepare(sdk)
            ready.append(sdk)
        except Failure as error:
            failed += 1
            print(f"{sdk.name}: installation failed\n{error}", flush=True)

    rounds = [(None, endpoint) for endpoint in options.endpoint] or [(number, "") for number in options.partitions]
    for partitions, endpoint in rounds if ready else []:
        outcome = run_all(ready, partitions, endpoint, options, expected)
        passed += outcome[0]
        failed += outcome[1]

    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


def parse_arguments() -> argparse.Namespace:
    def sdk_list(text: str) -> list[Sdk]:
        unknown = set(text.split(",")) - set(SDKS)
        if unknown:
            raise argparse.ArgumentTypeError(f"no such SDK: {', '.join(sorted(unknown))}")
        return [SDKS[name] for name in text.split(",")]

    def partition_list(text: str) -> list[str]:
        return [word if word == CHURN else str(int(word)) for word in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--endpoint", type=lambda text: text.split(","), default=[], metavar="URL,URL,...",
                        help="use running servers instead of starting one, one after the other")
    parser.add_argument("--readonly-key", default="", help="that of running servers")
    parser.add_argument("--sdk", type=sdk_list, default=list(SDKS.values()), metavar="A,B,...",
                        help="some of " + ",".join(SDKS) + " (default: all)")
    parser.add_argument("--partitions", type=partition_list, default=["1", "7", CHURN], metavar="N,M,...",
                        help=f"{CHURN}: they are split and merged all the time (default: 1,7,{CHURN})")
    parser.add_argument("--scenario", default="", metavar="REGEX", help="only these scenarios")
    parser.add_argument("--jobs", type=int, default=2, help="suites at once (default: 2)")
    parser.add_argument("--no-skip", action="store_true", default=os.environ.get("CI") == "true",
                        help="a missing toolchain is a failure (default when CI=true)")
    return parser.parse_args()


def read_scenarios() -> dict[str, list[str]]:
    """SDK name -> the scenarios marked for it in scenarios.md."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]]
            for line in (HERE / "scenarios.md").read_text().splitlines() if line.startswith("|")]
    header, _, *rows = rows
    return {name: [row[0] for row in rows if row[header.index(name)] == "x"] for name in SDKS}


def scripts_without_case() -> list[str]:
    steps = [step for path in (SCRIPTS / "cases").glob("*.json")
             for case in json.loads(path.read_text(encoding="utf-8")) for step in case["steps"]]
    named = {step[member] for step in steps for member in ("script", "pre", "post") if member in step}
    queried = " ".join(step.get("query", "") for step in steps)
    return sorted(path.name for path in SCRIPTS.glob("*.js")
                  if path.stem not in named and f"udf.{path.stem}(" not in queried)


# --- one round: a server and all suites against it ---------------------------------------------

def server_options(partitions: str) -> list[str]:
    if partitions == CHURN:
        return ["--churn-partitions-ms", str(CHURN_MS)]
    return ["--partitions", partitions]


def run_all(sdks: list[Sdk], partitions: str | None, running: str, options: argparse.Namespace,
            expected: dict[str, list[str]]) -> tuple[int, int]:
    with tempfile.TemporaryDirectory(prefix="orrery-sdk-") as scratch:
        directory = Path(scratch)
        servers: list[Server] = []
        throttled = ""
        try:
            if running:
                endpoint = running.rstrip("/") + "/"
                certificate = fetch_certificate(endpoint, directory)
            else:
                servers = start_servers(options.server, directory, partitions)
                endpoint, throttled = [f"https://127.0.0.1:{server.port}/" for server in servers]
                certificate = servers[0].data / "tls/certificate.pem"
        except (Failure, ServerError) as error:
            print(f"server: {error}", flush=True)
            return 0, 1
        environment = os.environ | {
            "ORRERY_ENDPOINT": endpoint, "ORRERY_THROTTLED_ENDPOINT": throttled,
            "ORRERY_KEY": EMULATOR_KEY, "ORRERY_READONLY_KEY": options.readonly_key if running else READONLY_KEY,
            "ORRERY_CERTIFICATE": str(certificate),
            "ORRERY_PARTITIONS": "" if partitions in (None, CHURN) else partitions,
            "ORRERY_CHURN": "1" if partitions == CHURN else "",
            "ORRERY_SCENARIO": options.scenario, "ORRERY_SCRATCH": scratch,
            "ORRERY_GOLDEN": str(write_golden(directory)), "ORRERY_SCRIPTS": str(SCRIPTS),
        }
        passed = failed = 0
        run = run_in_churn if partitions == CHURN else run_suite
        try:
            with ThreadPoolExecutor(max(1, options.jobs)) as pool:
                for sdk, lines in zip(sdks, pool.map(lambda sdk: run(sdk, environment, expected), sdks)):
                    good = sum(line.startswith("pass ") for line in lines)
                    print(f"{sdk.name}, {running or f'{partitions} partition(s)'}: {good} passed, "
                          f"{len(lines) - good} failed")
                    for line in lines:
                        if not line.startswith("pass "):
                            print("  " + line, flush=True)
                    passed += good
                    failed += len(lines) - good
            for server in servers:
                server.stop()
        except ServerError as error:
            failed += 1
            print(f"server: {error}", flush=True)
        finally:
            for server in servers:
                server.kill()
        return passed, failed


def start_servers(binary: Path, directory: Path, partitions: str | None) -> list[Server]:
    """One that throttles nothing, and with the same certificate one that does, with its usual partitions."""
    data, copy = directory / "data", directory / "throttled"
    with Server(binary, data).wait_until_ready() as server:
        server.stop()
    shutil.copytree(data, copy)
    readonly = directory / "readonly.key"
    readonly.write_text(READONLY_KEY)
    first = Server(binary, data, *server_options(partitions), "--readonly-key-file", str(readonly))
    try:
        second = Server(binary, copy, throttle=True).wait_until_ready()
        return [first.wait_until_ready(), second]
    except BaseException:  # also on Ctrl-C
        first.kill()
        raise


def write_golden(directory: Path) -> Path:
    """The golden queries, for suites that send them through an SDK."""
    files = [parse.read_file(path) for path in sorted((ROOT / "tests/golden/sql").glob("*.test"))]
    path = directory / "golden.json"
    path.write_text(json.dumps(queries.as_data(files)))
    return path


def fetch_certificate(endpoint: str, directory: Path) -> Path:
    """Downloads the server's own certificate, unverified, as it is not trusted yet."""
    path = directory / "certificate.pem"
    try:
        with urllib.request.urlopen(endpoint + "_explorer/emulator.pem", timeout=10,
                                    context=ssl._create_unverified_context()) as answer:
            path.write_bytes(answer.read())
    except OSError as error:
        raise Failure(f"no certificate from {endpoint}: {error}") from error
    return path


def run_in_churn(sdk: Sdk, environment: dict, expected: dict[str, list[str]]) -> list[str]:
    """As run_suite; what fails is run again."""
    if sdk.name in CHURN_LEFT_OUT:
        environment = environment | {"ORRERY_SCENARIO": f"^(?!{CHURN_LEFT_OUT[sdk.name]})"
                                                        f"(?=.*(?:{environment['ORRERY_SCENARIO']}))"}
    lines = run_suite(sdk, environment, expected)
    for attempt in range(2, CHURN_ATTEMPTS + 1):
        failed = [line for line in lines if not line.startswith("pass ")]
        # A suite that ended early is run again for what it did not report.
        names = {name_in(line) for line in failed} - {sdk.name}
        if not names:
            break
        for line in failed:
            print(f"{sdk.name}, {CHURN}, before attempt {attempt}: {line}", flush=True)
        again = environment | {"ORRERY_SCENARIO": f"^({'|'.join(map(re.escape, sorted(names)))})$"}
        lines = [line for line in lines if line.startswith("pass ")] + run_suite(sdk, again, expected)
    return lines


def name_in(line: str) -> str:
    return line.split()[1].rstrip(":")


def run_suite(sdk: Sdk, environment: dict, expected: dict[str, list[str]]) -> list[str]:
    """Runs an SDK's programs; returns one pass or fail line per scenario, including missing ones."""
    wanted = [name for name in expected[sdk.name] if re.search(environment["ORRERY_SCENARIO"], name)
              and (environment["ORRERY_THROTTLED_ENDPOINT"] or not name.startswith("throttling."))
              and (environment["ORRERY_READONLY_KEY"] or name != "access.readonly_key")]
    lines, reported, trouble = [], [], ""
    try:
        programs = sdk.programs(environment)
    except Failure as error:
        return [f"fail {sdk.name}: {error}"]
    for program in programs:
        output, code = run_program(program, environment)
        found = [line for line in output.splitlines() if re.match(r"(pass|fail) \S+", line)]
        if code != 0 and not any(line.startswith("fail ") for line in found):
            trouble += f"{' '.join(program)}: exit code {code}\n{output[-3000:]}"
        lines += found
    for line in lines:
        reported.append(name_in(line))
    lines += [f"fail {name}: not reported" for name in wanted if name not in reported]
    lines += [f"fail {name}: not in scenarios.md or reported twice" for name in reported
              if name not in wanted or reported.count(name) > 1]
    if trouble:
        lines.append(f"fail {sdk.name}: {trouble}")
    return lines


def run_program(command: list[str], environment: dict) -> tuple[str, int]:
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=SUITE_SECONDS)
        return output, process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return output + f"\nkilled after {SUITE_SECONDS} s", -1


# --- toolchains and installation ----------------------------------------------------------------

def why_missing(tool: Tool) -> str | None:
    if not shutil.which(tool.command):
        return f"{tool.command} not found"
    answer = subprocess.run([tool.command, *tool.version], capture_output=True, text=True)
    if answer.returncode != 0:
        return f"{tool.command} {' '.join(tool.version)} fails"
    found = re.search(r"\d+(\.\d+)*", answer.stdout + answer.stderr)
    if found and tuple(map(int, found[0].split("."))) < tool.minimum:
        return f"{tool.command} {found[0]} is older than {'.'.join(map(str, tool.minimum))}"
    return None


def prepare(sdk: Sdk) -> None:
    pins = [path for pattern in sdk.pins for path in sorted((HERE / sdk.name).glob(pattern))]
    install_once(BUILD / sdk.name, pins, lambda: sdk.install(BUILD / sdk.name))


def node_sdk(name: str, programs: list[str]) -> Sdk:
    def install(target: Path) -> None:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name / file, target)
        call(["npm", "ci", "--no-audit", "--no-fund"], target)

    def command_lines(environment: dict) -> list[list[str]]:
        # `env` sets the two variables Node reads before any of our code runs.
        return [["env", f"NODE_PATH={BUILD / name / 'node_modules'}",
                 f"NODE_EXTRA_CA_CERTS={environment['ORRERY_CERTIFICATE']}",
                 "node", "--no-deprecation", str(HERE / name / program)] for program in programs]

    return Sdk(name, [Tool("node", ["--version"], (20,)), Tool("npm", ["--version"], ())],
               ["package*.json"], install, command_lines)


def install_java(target: Path) -> None:
    """The suite, and a second program with its own version of the SDK."""
    for folder, sources in ((target, [*(HERE / "java").glob("*.java")]),
                            (target / "encryption", [HERE / "java/Suite.java",
                                                     HERE / "java/encryption/Encryption.java"])):
        folder.mkdir(exist_ok=True)
        shutil.copy(HERE / "java" / folder.relative_to(target) / "pom.xml", folder)
        call(["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={folder / 'lib'}"],
             folder)
        call(["javac", "-Xlint:all", "-Werror", "-proc:none", "-d", folder / "classes",
              "-cp", folder / "lib" / "*", *sorted(sources)], folder)


def java_programs(environment: dict) -> list[list[str]]:
    store = Path(environment["ORRERY_SCRATCH"]) / "trust.p12"
    store.unlink(missing_ok=True)  # of an earlier attempt
    call(["keytool", "-importcert", "-noprompt", "-alias", "orrery", "-storetype", "PKCS12",
          "-file", environment["ORRERY_CERTIFICATE"], "-keystore", store, "-storepass", "changeit"],
         BUILD)
    return [["java", "-cp", f"{folder / 'classes'}:{folder / 'lib'}/*",
             f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=changeit",
             program] for folder, program in ((BUILD / "java", "Main"),
                                              (BUILD / "java/encryption", "Encryption"))]


def install_go(target: Path) -> None:
    call(["go", "build", "-o", target / "suite", "."], HERE / "go")


# Outside build/sdk/rust, so that a change of the suite does not compile the SDK again.
CARGO_TARGET = BUILD / "cargo"


def install_rust(target: Path) -> None:
    call(["cargo", "build", "--quiet", "--locked", "--target-dir", CARGO_TARGET], HERE / "rust")
    shutil.copy(CARGO_TARGET / "debug/suite", target)


SDKS = {sdk.name: sdk for sdk in [
    node_sdk("js", ["main.js", "golden.js", "telemetry.js"]),
    node_sdk("documentdb", ["main.js"]),
    Sdk("python", [Tool("python3", ["-c", "import ensurepip, venv, sys; print(sys.version)"], (3, 9))],
        ["requirements.txt"], lambda target: install_python(target, HERE / "python/requirements.txt"),
        lambda _: [[str(BUILD / "python/venv/bin/python"), "-B", str(HERE / "python" / program)]
                   for program in ("main.py", "telemetry.py")]),
    Sdk("java", [Tool("mvn", ["--version"], ()), Tool("javac", ["-version"], (11,)),
                 Tool("keytool", ["-help"], ())],
        ["**/pom.xml", "**/*.java"], install_java, java_programs),
    Sdk("go", [Tool("go", ["env", "GOVERSION"], (1, 25))], ["go.mod", "go.sum", "*.go"], install_go,
        lambda _: [[str(BUILD / "go/suite")]]),
    Sdk("rust", [Tool("cargo", ["--version"], (1, 88))], ["Cargo.*", "src/*.rs"], install_rust,
        lambda environment: [["env", f"SSL_CERT_FILE={environment['ORRERY_CERTIFICATE']}",
                              str(BUILD / "rust/suite")]]),
]}


if __name__ == "__main__":
    sys.exit(main())
