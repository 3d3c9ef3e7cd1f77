"""The hashes of the format: XXH64 for sums, the fold and MD5 for ids, the mix for the index."""

import hashlib
import struct

MASK = (1 << 64) - 1

P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
K0, K1, K2 = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3

# The kinds of records in the index.
METHOD, TYPE = 1, 3


def _rotl(x, n):
    return (x << n | x >> (64 - n)) & MASK


def _round(acc, word):
    acc = (acc + word * P2) & MASK
    return (acc << 31 | acc >> 33) * P1 & MASK


def xxh64(data, seed=0):
    """XXH64 of bytes."""
    size = len(data)
    at = 0
    if size >= 32:
        v1, v2, v3, v4 = (seed + P1 + P2) & MASK, (seed + P2) & MASK, seed, (seed - P1) & MASK
        at = size & ~31
        # The rounds are written out: this loop takes nearly all the time of a check.
        for w1, w2, w3, w4 in struct.iter_unpack("<4Q", data[:at]):
            v1 = (v1 + w1 * P2) & MASK
            v1 = (v1 << 31 | v1 >> 33) * P1 & MASK
            v2 = (v2 + w2 * P2) & MASK
            v2 = (v2 << 31 | v2 >> 33) * P1 & MASK
            v3 = (v3 + w3 * P2) & MASK
            v3 = (v3 << 31 | v3 >> 33) * P1 & MASK
            v4 = (v4 + w4 * P2) & MASK
            v4 = (v4 << 31 | v4 >> 33) * P1 & MASK
        h = (_rotl(v1, 1) + _rotl(v2, 7) + _rotl(v3, 12) + _rotl(v4, 18)) & MASK
        for v in (v1, v2, v3, v4):
            h = ((h ^ _round(0, v)) * P1 + P4) & MASK
    else:
        h = (seed + P5) & MASK
    h = (h + size) & MASK
    while size - at >= 8:
        (word,) = struct.unpack_from("<Q", data, at)
        h = (_rotl(h ^ _round(0, word), 27) * P1 + P4) & MASK
        at += 8
    if size - at >= 4:
        (word,) = struct.unpack_from("<I", data, at)
        h = (_rotl(h ^ word * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = _rotl(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def _mum(a, b):
    product = a * b
    return product >> 64 ^ product & MASK


def fold(h, text):
    """Adds a text and its length to a hash."""
    size = len(text)
    h ^= size * K2 & MASK
    at = 0
    while size - at > 16:
        a, b = struct.unpack_from("<2Q", text, at)
        h = _mum(a ^ K0, b ^ h)
        at += 16
    left = text[at:]
    n = len(left)
    if n >= 8:
        (a,), (b,) = struct.unpack_from("<Q", left), struct.unpack_from("<Q", left, n - 8)
    elif n >= 4:
        (a,), (b,) = struct.unpack_from("<I", left), struct.unpack_from("<I", left, n - 4)
    elif n > 0:
        a, b = left[0] << 16 | left[n // 2] << 8 | left[-1], 0
    else:
        a, b = 0, 0
    return _mum(a ^ K1, b ^ h)


def method_id(domain, key):
    """The id of a method; key is (class, name, signature, loader)."""
    if domain in (2, 3):
        return int.from_bytes(hashlib.md5(key[1]).digest()[:8], "little")
    h = K0
    for part in key:
        h = fold(h, part)
    return h


def type_id(name, loader):
    return fold(fold(K0, name), loader)


def mix(ident, kind, seed):
    return (ident ^ seed ^ kind * 0x9E3779B97F4A7C15 & MASK) * 0xD6E8FEB86659FD93 & MASK
