"""A reader of profarc archives, written from the page of the format alone.

    profarc.py json FILE                                  the whole archive as JSON
    profarc.py check FILE                                 all that a reader and a verifier must refuse
    profarc.py find FILE CLASS NAME SIGNATURE LOADER      one method, by the hash index
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import checks  # noqa: E402
import dump  # noqa: E402
import index  # noqa: E402
from container import Damage  # noqa: E402
from hashes import METHOD, method_id  # noqa: E402
from tables import Archive  # noqa: E402


def show(archive):
    archive.load()
    for line in dump.Dump(archive).lines():
        sys.stdout.buffer.write(line.encode() + b"\n")
    return 0


def find(archive, key):
    """Looks a method up, in the index and then among the rows of its class."""
    archive.load()
    for it in index.search(archive, method_id(archive.domain, key), METHOD):
        method = archive.method_at(it.record, it.record)
        if method.key == key:
            print(dump.Dump(archive).method(method))
            return 0
    for row in archive.rows.values():
        if row.key == key:
            print(dump.Dump(archive).method(row))
            return 0
    print("not found", file=sys.stderr)
    return 1


def main(arguments):
    shapes = {"json": 2, "check": 2, "find": 6}
    if not arguments or shapes.get(arguments[0]) != len(arguments):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(arguments[1], "rb") as file:
            data = file.read()
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    out = sys.stdout if arguments[0] == "check" else sys.stderr
    try:
        archive = Archive(data)
        if arguments[0] == "json":
            return show(archive)
        if arguments[0] == "check":
            checks.check(archive)
            return 0
        return find(archive, tuple(os.fsencode(part) for part in arguments[2:]))
    except Damage as damage:
        print(damage, file=out)
    except BrokenPipeError:
        sys.stderr.close()
    except Exception as error:  # a check that is missing above must not end in a trace
        print("corrupt header 0x0: %s: %s" % (type(error).__name__, error), file=out)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
