"""The Debian package: the program with the system's libraries, run by systemd as a user of its own."""

import gzip
import hashlib
import os
import time
from pathlib import Path

from program import (COMPILED_IN, ROOT, SOURCES, SUMMARY, Program, completion, copyright_of, install, manual_pages,
                     run, write)

DEBIAN = SOURCES / "debian"
SCRIPTS = ("postinst", "prerm", "postrm")
CONFIG = "etc/orrery/orrery.toml"
MAINTAINER = "The Orrery authors <maintainers@orrery.invalid>"


def build(program: Program, work: Path, out: Path) -> Path:
    tree = work / "deb"
    architecture = run("dpkg", "--print-architecture").strip()
    install_files(program, tree)
    size_kb = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    control = tree / "DEBIAN"
    # Checksums of what is installed, so before the control files are there.
    write(control / "md5sums", checksums(tree))
    write(control / "conffiles", f"/{CONFIG}\n")
    write(control / "control", control_fields(program, architecture, dependencies(program, work), size_kb))
    for script in SCRIPTS:
        install(DEBIAN / script, control / script, 0o755)
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (program.date, program.date))
    package = out / f"orrery_{program.version}_{architecture}.deb"
    run("env", f"SOURCE_DATE_EPOCH={program.date}",
        "dpkg-deb", "--root-owner-group", "-Zxz", "-z4", "--build", tree, package)
    return package


def install_files(program: Program, tree: Path) -> None:
    share = tree / "usr/share"
    install(program.binary, tree / "usr/bin/orrery", 0o755)
    install(DEBIAN / "orrery.service", tree / "lib/systemd/system/orrery.service")
    install(DEBIAN / "orrery.toml", tree / CONFIG)
    for name, page in manual_pages(program).items():
        write(share / f"man/man1/{name}.gz", gzip.compress(page.encode(), mtime=0))
    write(share / "bash-completion/completions/orrery", completion(program, "bash"))
    write(share / "zsh/vendor-completions/_orrery", completion(program, "zsh"))
    write(share / "fish/vendor_completions.d/orrery.fish", completion(program, "fish"))
    write(share / "doc/orrery/copyright", copyright_text())
    write(share / "doc/orrery/changelog.gz", gzip.compress(changelog(program).encode(), mtime=0))


def copyright_text() -> str:
    parts = [(ROOT / "LICENSE").read_text()]
    for package in COMPILED_IN:
        parts.append(f"The program contains code of {package}:\n\n{copyright_of(package)}")
    return f"\n{'-' * 78}\n\n".join(parts)


def changelog(program: Program) -> str:
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(program.date))
    return (f"orrery ({program.version}) unstable; urgency=medium\n\n  * Orrery {program.version}.\n\n"
            f" -- {MAINTAINER}  {date}\n")


def checksums(tree: Path) -> str:
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    return "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)


def dependencies(program: Program, work: Path) -> str:
    """The packages with the libraries that the program is linked with, as dpkg-shlibdeps finds them."""
    # It insists on a source package.
    source = work / "shlibdeps"
    write(source / "debian/control", "Source: orrery\n\nPackage: orrery\nArchitecture: any\n")
    found = run("dpkg-shlibdeps", "-O", "-e", program.binary, cwd=source)
    return found.strip().removeprefix("shlibs:Depends=")


def control_fields(program: Program, architecture: str, libraries: str, size_kb: int) -> str:
    return (DEBIAN / "control").read_text().format(
        version=program.version, architecture=architecture, maintainer=MAINTAINER, size_kb=size_kb,
        libraries=libraries, summary=SUMMARY)
