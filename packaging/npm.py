"""The npm package: the program with its libraries and a fixture for tests."""

import json
from pathlib import Path

from archive import archive, compressed
from program import ROOT, SOURCES, SUMMARY, Program, install, install_runtime, licences, write

NPM = SOURCES / "npm"
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}


def build(program: Program, work: Path, out: Path) -> Path:
    tree = work / "npm/package"  # the name that npm wants in the archive
    install_runtime(program, tree / "program")
    for name in ("index.js", "index.d.ts", "README.md"):
        install(NPM / name, tree / name)
    install(ROOT / "LICENSE", tree / "LICENSE")
    for name, text in licences(program).items():
        write(tree / "licences" / name, text)
    manifest = json.loads((NPM / "package.json").read_text())
    manifest |= {"version": program.version, "description": f"Orrery, a {SUMMARY}, with a fixture for tests",
                 "cpu": [PROCESSORS[program.machine]]}
    write(tree / "package.json", json.dumps(manifest, indent=2) + "\n")
    target = out / f"orrery-{program.version}.tgz"
    target.write_bytes(compressed(archive(tree, program.date)))
    return target
