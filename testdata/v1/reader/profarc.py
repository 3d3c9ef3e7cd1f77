"""A reader of profarc archives, written from the page of the format alone.

    profarc.py json FILE...                               all of each archive as JSON
    profarc.py check FILE...                              all that a reader and a verifier must refuse
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


def find(archive, key):
    """Looks a method up, in the index and then among the rows of its class."""
    archive.load()
    for it in index.search(archive, method_id(archive.domain, key), METHOD):
        method = archive.method_at(it.record, it.record)
        if method.key == key:
            print(dump.Dump(archive).method(method))
            return None
    for row in archive.rows.values():
        if row.key == key:
            print(dump.Dump(archive).method(row))
            return None
    return "not found"


def run(command, data, key):
    """Runs a command and returns what is wrong with the archive, or None."""
    try:
        archive = Archive(data)
        if command == "json":
            show(archive)
        elif command == "find":
            return find(archive, key)
        else:
            checks.check(archive)
    except Damage as damage:
        return str(damage)
    except BrokenPipeError:
        sys.stderr.close()
    except Exception as error:  # a check that is missing above must not end in a trace
        return "corrupt header 0x0: %s: %s" % (type(error).__name__, error)
    return None


def main(arguments):
    command = arguments[0] if arguments else ""
    if command not in ("json", "check", "find") or len(arguments) < 2 or command == "find" and len(arguments) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    paths = arguments[1:2] if command == "find" else arguments[1:]
    status = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            print(error, file=sys.stderr)
            return 2
        wrong = run(command, data, tuple(os.fsencode(part) for part in arguments[2:]))
        if len(paths) > 1 and (wrong or command == "check"):
            print("%s: %s" % (path, wrong or "sound"))
        elif wrong:
            print(wrong, file=sys.stdout if command == "check" else sys.stderr)
        status = max(status, 1 if wrong else 0)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
