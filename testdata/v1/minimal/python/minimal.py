"""Answers the questions of ../../lookups.txt:

python3 -B minimal.py ../.. < ../../lookups.txt | diff ../../lookups.txt -
"""

import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes

from archive import Refused, require
from entries import block_lines, plain
from lookup import LINKS, Block, Key, Reader


def key_of(text):
    return Key(*map(unquote_to_bytes, text.split("|")))


def answer(reader, kind, asked, *frames):
    if kind == "id":
        method = next(reader.methods_of_id(int(asked, 16)), None)
        if method and method.flags & 32:
            return ["ambiguous"]
    else:
        method = reader.find(key_of(asked))
    if method is None:
        return ["absent"]
    lines = [f"method {method.id:016x} {method.flags & 56} {plain(method.key)}"]
    frames = zip(map(int, frames[::2]), map(key_of, frames[1::2]))
    at, context, depth = reader.find_profiles(method, frames)
    while at:
        block = Block(reader, at)
        require(block.method == method.at and 8 * block.pair(LINKS, 0) == context)
        lines += block_lines(reader, block, depth)
        at = 8 * block.pair(LINKS, 1)
        require(at == 0 or at > block.at)
    return lines


def main():
    data = bytearray()
    for line in map(str.rstrip, sys.stdin):
        words = line.split()
        if line.startswith(" "):
            continue
        print(line)
        if words[:1] == ["open"]:
            data = bytearray(Path(sys.argv[1], words[1]).read_bytes())
        elif words[:1] == ["cut"]:
            del data[int(words[1]):]
        elif words[:1] == ["edit"]:
            changed = bytes.fromhex(words[2])
            data[int(words[1]):int(words[1]) + len(changed)] = changed
        elif words[:1] in (["key"], ["id"]):
            try:
                lines = answer(Reader(bytes(data)), *words)
            except Refused as e:
                lines = [f"refused {e}"]
            for answered in lines:
                print(f"  {answered}")


main()
