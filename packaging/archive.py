"""The archive for Linux distributions other than Debian: a directory that works wherever it is unpacked."""

import gzip
import io
import tarfile
from pathlib import Path

from program import ROOT, SOURCES, Program, completion, install, install_runtime, licences, manual_pages, write

# Of gzip: 9 takes several times as long and saves few percent.
LEVEL = 4


def build(program: Program, work: Path, out: Path) -> Path:
    name = f"orrery-{program.version}-linux-{program.machine}"
    tree = work / name
    install_runtime(program, tree)
    share = tree / "share"
    for page, text in manual_pages(program).items():
        write(share / "man/man1" / page, text)
    write(share / "bash-completion/completions/orrery", completion(program, "bash"))
    write(share / "zsh/site-functions/_orrery", completion(program, "zsh"))
    write(share / "fish/vendor_completions.d/orrery.fish", completion(program, "fish"))
    for file, text in licences(program).items():
        write(tree / "licences" / file, text)
    install(ROOT / "LICENSE", tree / "LICENSE")
    write(tree / "README.md", read_me(program))
    target = out / f"{name}.tar.gz"
    target.write_bytes(compressed(archive(tree, program.date)))
    return target


def read_me(program: Program) -> str:
    return (SOURCES / "relocatable/README.md").read_text().format(version=program.version, major=program.glibc[0],
                                                              minor=program.glibc[1])


def archive(tree: Path, date: int) -> bytes:
    """A tar file in which nothing depends on the machine it was made on."""
    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = date
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.GNU_FORMAT) as tar:
        tar.add(tree, arcname=tree.name, filter=plain)
    return content.getvalue()


def compressed(content: bytes) -> bytes:
    return gzip.compress(content, LEVEL, mtime=0)
