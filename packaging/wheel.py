"""The Python package: the program with its libraries and a fixture for tests, as a wheel."""

import base64
import hashlib
import time
import zipfile
from pathlib import Path

from program import SOURCES, SUMMARY, Program, install_runtime, licences

PYTHON = SOURCES / "python"
LEVEL = 4


def build(program: Program, work: Path, out: Path) -> Path:
    tag = f"py3-none-manylinux_{program.glibc[0]}_{program.glibc[1]}_{program.machine}"
    metadata = f"orrery-{program.version}.dist-info"
    files = package_files(program, work)
    files |= {f"{metadata}/licenses/{name}": text.encode() for name, text in licences(program).items()}
    files[f"{metadata}/METADATA"] = description(program).encode()
    files[f"{metadata}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: orrery\nRoot-Is-Purelib: false\n"
                                  f"Tag: {tag}\n").encode()
    files[f"{metadata}/entry_points.txt"] = (PYTHON / "entry_points.txt").read_bytes()
    files[f"{metadata}/RECORD"] = record(files, f"{metadata}/RECORD")
    target = out / f"orrery-{program.version}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as wheel:
        for name, content in files.items():
            wheel.writestr(entry(name, program.date), content)
    return target


def package_files(program: Program, work: Path) -> dict[str, bytes]:
    sources = sorted(path for path in (PYTHON / "orrery").iterdir() if path.suffix == ".py" or path.name == "py.typed")
    files = {f"orrery/{path.name}": path.read_bytes() for path in sources}
    runtime = work / "wheel"
    install_runtime(program, runtime)
    for path in sorted(runtime.rglob("*")):
        if path.is_file():
            files[f"orrery/program/{path.relative_to(runtime)}"] = path.read_bytes()
    return files


def description(program: Program) -> str:
    return (f"Metadata-Version: 2.1\nName: orrery\nVersion: {program.version}\n"
            f"Summary: Orrery, a {SUMMARY}, with a fixture for tests\n"
            "License: MIT\nRequires-Python: >=3.9\nClassifier: Framework :: Pytest\n"
            "Classifier: Operating System :: POSIX :: Linux\nDescription-Content-Type: text/markdown\n\n"
            + (PYTHON / "README.md").read_text())


def record(files: dict[str, bytes], own_name: str) -> bytes:
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{own_name},,"]).encode() + b"\n"


def entry(name: str, date: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, time.gmtime(date)[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, or the mode would not count
    info.external_attr = (0o100755 if name.endswith("bin/orrery") else 0o100644) << 16
    return info
