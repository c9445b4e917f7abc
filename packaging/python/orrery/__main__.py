"""The program: `orrery COMMAND` or `python -m orrery COMMAND`."""

import os
import sys
from typing import NoReturn

from orrery._server import program


def main() -> NoReturn:
    path = str(program())
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
