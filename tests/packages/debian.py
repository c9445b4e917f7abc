"""The Debian package: its contents, its unit, and its life on a copy of this system."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from lib.report import Skip, expect

CONFIG = "etc/orrery/orrery.toml"
PATIENCE_SECONDS = 120


def called(*command, code: int = 0) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE_SECONDS)
    expect(done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Checks:
    def __init__(self, out: Path, scratch: Path):
        (self.package,) = out.glob("orrery_*.deb")
        self.scratch = scratch
        self.tree = scratch / "tree"

    def contents(self) -> str:
        called("dpkg-deb", "--raw-extract", self.package, self.tree)
        files = {str(path.relative_to(self.tree)) for path in self.tree.rglob("*") if path.is_file()}
        expected = {"usr/bin/orrery", "lib/systemd/system/orrery.service", CONFIG, "DEBIAN/postinst",
                    "usr/share/man/man1/orrery.1.gz", "usr/share/man/man1/orrery-import.1.gz",
                    "usr/share/bash-completion/completions/orrery", "usr/share/zsh/vendor-completions/_orrery",
                    "usr/share/fish/vendor_completions.d/orrery.fish", "usr/share/doc/orrery/copyright"}
        expect(expected <= files, f"missing: {expected - files}")
        expect((self.tree / "DEBIAN/conffiles").read_text() == f"/{CONFIG}\n", "conffiles")
        depends = called("dpkg-deb", "--field", self.package, "Depends")
        for library in ("libmozjs-102-0", "libssl3", "libedit2", "libc6 (>="):
            expect(library in depends, f"{library}: {depends}")
        return f"{len(files)} files"

    def unit(self) -> str:
        """systemd accepts the unit, and finds little to complain about."""
        if shutil.which("systemd-analyze") is None:
            raise Skip("no systemd-analyze")
        unit = self.tree / "lib/systemd/system/orrery.service"
        local = self.scratch / "orrery.service"
        local.write_text(unit.read_text().replace("/usr/bin/orrery", str(self.tree / "usr/bin/orrery")))
        problems = [line for line in called("systemd-analyze", "verify", "--man=no", local).splitlines()
                    if "orrery" in line]
        expect(not problems, str(problems))
        # Of 100; the lower, the less the server could do if it were taken over.
        rated = called("systemd-analyze", "security", "--offline=yes", "--threshold=20", local)
        return re.search(r"exposure level.*: (\S+)", rated)[1] + " of 10 exposed"

    def life(self) -> str:
        """Installed, used, configured, installed again, removed, purged; see debian_life.py."""
        if os.geteuid() != 0:
            raise Skip("only root can install a package on a copy of the system")
        # Mounts and processes are in namespaces that end with it.
        return called("unshare", "--mount", "--pid", "--fork", "--kill-child",
                      sys.executable, Path(__file__).with_name("debian_life.py"), self.package, self.scratch).strip()


def checks(out: Path, scratch: Path) -> dict:
    own = Checks(out, scratch)
    return {check.__name__: check for check in (own.contents, own.unit, own.life)}
