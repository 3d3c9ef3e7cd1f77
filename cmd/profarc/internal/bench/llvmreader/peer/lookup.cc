// Answers look-ups of an indexed profile with LLVM's own reader, as a compiler
// does, and says how long they took.
//
//   lookup PROFILE HITS MISSES
//
// HITS and MISSES hold the keys, a line each: a PGO name and a function hash in
// decimal. A question on the standard input is a line "hits FROM TO TIMES", or
// "misses ...": these keys of that file are looked up in its order, so many
// times. The answer is one line: nanoseconds of processor time per look-up, how
// many were found, and the sum of the first counters of these.

#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <time.h>
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
    auto [Name, Number] = Line.rsplit(' ');
    uint64_t Hash;
    if (Number.getAsInteger(10, Hash))
      fail("no key: " + Line.str());
    Keys.push_back({Name, Hash});
    Text = Rest;
  }
  return Keys;
}

double now() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return 1e9 * double(T.tv_sec) + double(T.tv_nsec);
}

void lookUp(llvm::IndexedInstrProfReader &Reader, llvm::ArrayRef<Key> Keys,
            Answer &A) {
  for (const Key &K : Keys) {
    auto Record = Reader.getInstrProfRecord(K.Name, K.Hash);
    if (!Record) {
      llvm::consumeError(Record.takeError());
      continue;
    }
    A.Found++;
    A.Sum += Record->Counts.empty() ? 0 : Record->Counts[0];
  }
}

Answer answer(llvm::IndexedInstrProfReader &Reader, llvm::ArrayRef<Key> Keys,
              size_t Times) {
  Answer A = {};
  double Begin = now();
  for (size_t I = 0; I < Times; ++I)
    lookUp(Reader, Keys, A);
  A.Nanoseconds = (now() - Begin) / double(std::max<size_t>(1, Times * Keys.size()));
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
  std::string Wanted;
  for (size_t From, To, Times; std::cin >> Wanted >> From >> To >> Times;) {
    llvm::ArrayRef<Key> Keys = Wanted == "hits" ? HitKeys : MissKeys;
    if (From > To || To > Keys.size())
      fail("no such keys");
    Answer A = answer(**Reader, Keys.slice(From, To - From), Times);
    std::printf("%.2f %" PRIu64 " %" PRIu64 "\n", A.Nanoseconds, A.Found, A.Sum);
    std::fflush(stdout);
  }
}
