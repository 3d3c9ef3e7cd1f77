// Answers look-ups of an indexed profile with LLVM's own reader, as a compiler
// does, and says how long they took.
//
//   lookup PROFILE HITS MISSES
//
// HITS and MISSES hold the keys, a line each: a PGO name and a function hash in
// decimal. For each line "hits" or "misses" on the standard input all keys of
// that file are looked up in its order; the answer is one line: nanoseconds per
// look-up, how many were found, and the sum of the first counters of these.

#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Key {
  llvm::StringRef Name;
  uint64_t Hash;
};

struct Answer {
  double Nanoseconds; // per look-up
  uint64_t Found;
  uint64_t Sum;
};

[[noreturn]] void fail(const std::string &Message) {
  std::cerr << "lookup: " << Message << "\n";
  std::exit(1);
}

std::unique_ptr<llvm::MemoryBuffer> open(const char *Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    fail(std::string(Path) + ": " + Buffer.getError().message());
  return std::move(*Buffer);
}

// The names of the keys lie in the text.
std::vector<Key> keysIn(llvm::StringRef Text) {
  std::vector<Key> Keys;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    auto [Name, Number] = Line.split(' ');
    uint64_t Hash;
    if (Number.getAsInteger(10, Hash))
      fail("no key: " + Line.str());
    Keys.push_back({Name, Hash});
    Text = Rest;
  }
  return Keys;
}

Answer answer(llvm::IndexedInstrProfReader &Reader,
              const std::vector<Key> &Keys) {
  Answer A = {};
  auto Begin = std::chrono::steady_clock::now();
  for (const Key &K : Keys) {
    auto Record = Reader.getInstrProfRecord(K.Name, K.Hash);
    if (!Record) {
      llvm::consumeError(Record.takeError());
      continue;
    }
    A.Found++;
    A.Sum += Record->Counts[0];
  }
  std::chrono::duration<double, std::nano> Took =
      std::chrono::steady_clock::now() - Begin;
  A.Nanoseconds = Took.count() / Keys.size();
  return A;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    fail("usage: lookup PROFILE HITS MISSES");
  auto Reader = llvm::IndexedInstrProfReader::create(open(argv[1]));
  if (!Reader)
    fail(std::string(argv[1]) + ": " + llvm::toString(Reader.takeError()));
  auto Hits = open(argv[2]), Misses = open(argv[3]);
  auto HitKeys = keysIn(Hits->getBuffer()), MissKeys = keysIn(Misses->getBuffer());
  for (std::string Wanted; std::getline(std::cin, Wanted);) {
    Answer A = answer(**Reader, Wanted == "hits" ? HitKeys : MissKeys);
    std::printf("%.2f %" PRIu64 " %" PRIu64 "\n", A.Nanoseconds, A.Found, A.Sum);
    std::fflush(stdout);
  }
}
