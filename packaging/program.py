"""What all packages have in common: the program, the libraries it needs, manual pages, completion and licences."""

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = Path(__file__).resolve().parent
# The libraries that are compiled into the program; the Debian packages say under which licence.
COMPILED_IN = ("libboost1.81-dev", "librocksdb-dev", "libcli11-dev")
# Every Linux distribution with glibc has these, and its own must be used.
C_LIBRARY = "libc6"
SUMMARY = "document database with the API of Azure Cosmos DB for NoSQL"


class Failure(Exception):
    pass


def run(*command, cwd: Path | None = None) -> str:
    """What the command prints; raises if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@dataclass(frozen=True)
class Library:
    name: str  # as the program asks for it: libssl.so.3
    path: Path
    package: str  # the Debian package it comes from


@dataclass(frozen=True)
class Program:
    binary: Path       # without symbols; finds its libraries where the system has them
    relocatable: Path  # the same; finds them in ../lib
    libraries: list[Library]
    version: str
    date: int          # of everything in the packages, so that equal inputs give equal packages
    glibc: tuple[int, int]  # the oldest version that it runs with

    @property
    def machine(self) -> str:
        return platform.machine()


def prepare(built: Path, work: Path) -> Program:
    """Makes the forms of the program that go into packages, in `work`."""
    binary, relocatable = work / "orrery", work / "relocatable"
    # The release build has no debug information; symbols that linking has already used are removed too.
    run("strip", "--strip-unneeded", "-o", binary, built)
    shutil.copy(binary, relocatable)
    # As DT_RPATH, not DT_RUNPATH: it also holds for the libraries of the libraries.
    run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", relocatable)
    libraries = libraries_of(built)
    return Program(binary=binary, relocatable=relocatable, libraries=libraries,
                   version=run(built, "version").split()[1], date=source_date(),
                   glibc=glibc_needed([built, *(library.path for library in libraries)]))


def source_date() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run("git", "log", "-1", "--format=%ct", cwd=ROOT))


def libraries_of(binary: Path) -> list[Library]:
    found = []
    for name, place in re.findall(r"^\s*(\S+) => (/\S+) ", run("ldd", binary), re.MULTILINE):
        path = Path(place).resolve()
        package = package_of(path)
        if package != C_LIBRARY:
            found.append(Library(name, path, package))
    return found


def package_of(path: Path) -> str:
    # Debian 12 has merged /lib into /usr/lib, but its packages still name either.
    for place in (str(path), str(path).removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "--search", place], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise Failure(f"{path} belongs to no Debian package, so its licence is not known")


def glibc_needed(files: list[Path]) -> tuple[int, int]:
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", *files))
    return max((int(major), int(minor)) for major, minor in versions)


def manual_pages(program: Program) -> dict[str, str]:
    """File name → page."""
    overview = run(program.binary, "man")
    names = re.findall(r"^\.BR orrery\\-(\S+) \(1\)", overview, re.MULTILINE)
    pages = {"orrery.1": overview}
    for name in names:
        pages[f"orrery-{name}.1"] = run(program.binary, "man", name)
    return pages


def completion(program: Program, shell: str) -> str:
    return run(program.binary, "completion", shell)


def copyright_of(package: str) -> str:
    return Path(f"/usr/share/doc/{package}/copyright").read_text()


def licences(program: Program) -> dict[str, str]:
    """File name → text: of Orrery, of all libraries, and of the licences that these texts refer to."""
    packages = sorted({library.package for library in program.libraries} | set(COMPILED_IN))
    texts = {"orrery": (ROOT / "LICENSE").read_text()}
    texts |= {package: copyright_of(package) for package in packages}
    named = set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", "".join(texts.values())))
    for name in sorted(named):
        path = Path("/usr/share/common-licenses") / name
        if path.exists():
            texts[f"common-licenses/{name}"] = path.read_text()
    texts["README"] = notice(program, packages)
    return texts


def notice(program: Program, packages: list[str]) -> str:
    lines = ["Orrery contains these libraries, unmodified, as Debian 12 distributes them. Their licences are beside",
             "this file, under the name of the Debian package; /usr/share/common-licenses is common-licenses here.",
             "`apt-get source PACKAGE=VERSION` on Debian has their source.", ""]
    files = {package: [library.name for library in program.libraries if library.package == package]
             for package in packages}
    for package in packages:
        version = run("dpkg-query", "--show", "--showformat=${Version}", package)
        lines.append(f"{package}={version}: {', '.join(files[package]) or 'compiled into the program'}")
    return "\n".join(lines) + "\n"


def write(path: Path, content: str | bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)


def install(source: Path, target: Path, mode: int = 0o644) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def install_runtime(program: Program, directory: Path) -> None:
    """bin/orrery and lib/, which work wherever they are together."""
    install(program.relocatable, directory / "bin/orrery", 0o755)
    for library in program.libraries:
        install(library.path, directory / "lib" / library.name)
