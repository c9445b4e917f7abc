"""The archive: unpacked anywhere, it uses no library of the system but glibc's."""

import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from lib.client import Client
from lib.report import expect
from lib.server import ROOT, Server, inspect
from roundtrip import find, store

# Of glibc, which every program shares with the system.
SYSTEM_LIBRARY = re.compile(r"(ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libnss_)[-.\w]*\.so[.\d]*$")


class Checks:
    def __init__(self, out: Path, scratch: Path):
        (self.package,) = out.glob("orrery-*-linux-*.tar.gz")
        self.scratch = scratch
        self.directory = scratch / self.package.name.removesuffix(".tar.gz")

    @property
    def binary(self) -> Path:
        return self.directory / "bin/orrery"

    def unpack(self) -> str:
        with tarfile.open(self.package) as tar:
            strange = [entry.name for entry in tar if entry.uid or entry.mode & 0o022 or ".." in entry.name]
            expect(not strange, f"owners or modes: {strange}")
            tar.extractall(self.scratch)
        glibc = re.search(r"glibc (\S+) or newer", (self.directory / "README.md").read_text())
        return f"for glibc {glibc[1]}"

    def serve(self) -> str:
        """Also through a link, from another directory, after the first one has moved."""
        moved = self.scratch / "else where"
        shutil.move(self.directory, moved)
        self.directory = moved
        link = self.scratch / "link"
        link.symlink_to(self.binary)
        with Server(link, self.scratch / "data").wait_until_ready() as server:
            store(server.port)
            maps = Path(f"/proc/{server.process.pid}/maps").read_text()
            server.stop()
        mapped = {line.split(maxsplit=5)[5] for line in maps.splitlines() if ".so" in line}
        strange = [path for path in mapped if not path.startswith(str(moved)) and not SYSTEM_LIBRARY.search(path)]
        expect(not strange, f"libraries of the system: {strange}")
        with Server(self.binary, self.scratch / "data").wait_until_ready() as server:
            find(server.port)
            server.stop()
        return f"{len(list((moved / 'lib').iterdir()))} libraries"

    def documents(self) -> str:
        pages = sorted((self.directory / "share/man/man1").iterdir())
        for page in pages:
            done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, timeout=60)
            expect(done.returncode == 0 and "ORRERY" in done.stdout and not done.stderr, f"{page.name}: {done}")
        for name in ("bash-completion/completions/orrery", "zsh/site-functions/_orrery",
                     "fish/vendor_completions.d/orrery.fish"):
            expect("orrery" in (self.directory / "share" / name).read_text(), name)
        return f"{len(pages)} manual pages"

    def licences(self) -> str:
        """Every library has its licence, and every licence that these name is there."""
        licences = self.directory / "licences"
        notice = (licences / "README").read_text()
        for library in (self.directory / "lib").iterdir():
            line = next((line for line in notice.splitlines() if re.search(rf"[ :]{re.escape(library.name)}(,|$)", line)),
                        None)
            expect(line and (licences / line.split("=")[0]).stat().st_size > 100, f"{library.name}: {line}")
        texts = [path.read_text() for path in licences.iterdir() if path.is_file()]
        expect(any("Mozilla Public License" in text for text in texts), "SpiderMonkey's")
        for name in set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", "".join(texts))):
            known = (licences / "common-licenses" / name).exists() or not Path("/usr/share/common-licenses", name).exists()
            expect(known, name)
        return f"{len(texts) - 1} of them"

    def upgrade(self) -> str:
        """Data directories of earlier versions, with what the server that wrote them answered (tests/upgrade)."""
        count = 0
        for fixture in sorted((ROOT / "tests/upgrade").glob("*.tar.gz")):
            place = self.scratch / fixture.name.removesuffix(".tar.gz")
            with tarfile.open(fixture) as tar:
                tar.extractall(place)
            recorded = json.loads(fixture.with_name(place.name + ".json").read_text())
            with Server(self.binary, place / "data").wait_until_ready() as server, Client(server.port) as client:
                for link, row in [(c["link"], row) for c in recorded["containers"] for row in c["items"]]:
                    found = client.request("GET", f"/{link}/docs/{row['id']}", headers=row["key"])
                    expect(found.status == 200 and found.json() == row["item"], f"{row}: {found}")
                    count += 1
                server.stop()
            expect(inspect(self.binary, place / "data").endswith(" 0 problems"), fixture.name)
        expect(count > 0, "no items")
        return f"{count} items"


def checks(out: Path, scratch: Path) -> dict:
    own = Checks(out, scratch)
    return {check.__name__: check for check in (own.unpack, own.serve, own.documents, own.licences, own.upgrade)}
