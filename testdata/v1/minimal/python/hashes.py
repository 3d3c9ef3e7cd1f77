"""The hashes of docs/format.md: XXH64, and the folds of names."""

import hashlib
import struct

MASK = 2**64 - 1
P1, P2, P3, P4, P5 = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63,
                      0x27d4eb2f165667c5)
K0, K1, K2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3


def rotl(value, n):
    return (value << n | value >> 64 - n) & MASK


def round64(acc, word):
    return rotl(acc + word * P2 & MASK, 31) * P1 & MASK


def xxh64(data):
    at, h = 0, P5
    if len(data) >= 32:
        acc = [P1 + P2 & MASK, P2, 0, -P1 & MASK]
        for at in range(0, len(data) - 31, 32):
            acc = [round64(a, w) for a, w in zip(acc, struct.unpack_from("<4Q", data, at))]
        at += 32
        h = sum(rotl(a, n) for a, n in zip(acc, (1, 7, 12, 18))) & MASK
        for a in acc:
            h = (h ^ round64(0, a)) * P1 + P4 & MASK
    h = h + len(data) & MASK
    for at in range(at, len(data) - 7, 8):
        h = rotl(h ^ round64(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4 & MASK
    rest = data[len(data) & ~7:]
    if len(rest) >= 4:
        h = rotl(h ^ int.from_bytes(rest[:4], "little") * P1 & MASK, 23) * P2 + P3 & MASK
        rest = rest[4:]
    for byte in rest:
        h = rotl(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def mum(a, b):
    return a * b >> 64 ^ a * b & MASK


def fold(h, text):
    h ^= len(text) * K2 & MASK
    while len(text) > 16:
        a, b = struct.unpack_from("<2Q", text)
        h, text = mum(a ^ K0, b ^ h), text[16:]
    size = 8 if len(text) >= 8 else 4
    a, b = int.from_bytes(text[:size], "little"), int.from_bytes(text[-size:], "little")
    if len(text) < 4:
        a, b = text[0] << 16 | text[len(text) // 2] << 8 | text[-1] if text else 0, 0
    return mum(a ^ K1, b ^ h)


def method_id(domain, key):
    if domain in (2, 3):
        return int.from_bytes(hashlib.md5(key.name).digest()[:8], "little")
    h = K0
    for part in key:
        h = fold(h, part)
    return h


def type_id(name, loader):
    return fold(fold(K0, name), loader)


def mix(record_id, kind, seed):
    return (record_id ^ seed ^ kind * 0x9e3779b97f4a7c15 & MASK) * 0xd6e8feb86659fd93 & MASK
