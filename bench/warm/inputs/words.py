# Counts words and sorts them, in several ways.
import re

class Word(object):
    def __init__(self, text):
        self.text, self.count = text, 0
    def __cmp__(self, other):
        return cmp((-self.count, self.text), (-other.count, other.text))

def text(n):
    seed, parts = 7, []
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2147483648
        parts.append("w%d" % (seed / 65536 % 900))
    return " ".join(parts)

for turn in range(12):
    words = {}
    for found in re.findall(r"\w+", text(6000)):
        words.setdefault(found, Word(found)).count += 1
    print turn, [w.text for w in sorted(words.values())[:3]], sum(len(k) * w.count for k, w in words.items())
