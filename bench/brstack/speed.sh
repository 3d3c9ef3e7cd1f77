#!/bin/bash
# speed.sh LUA [ROUNDS]: the times of the interpreter of Lua, whose sources are in the folder LUA, compiled by clang with
# plain -O2, with sample profiles made by profarc and by llvm-profgen, and with an instrumented profile.
#
# The samples are of a shorter run: brstack records them where the processor has no branch records. The instrumented
# program runs the same input. Runs of the builds alternate, and the table has medians of the
# processor time.
set -e
here=$(cd "$(dirname "$0")" && pwd)
lua=$(cd "$1" && pwd)
rounds=${2:-15}
: "${CLANG:=clang-19}" "${PROFGEN:=llvm-profgen-19}" "${TRAIN:=10}" "${WORK:=300}"
cd "$(mktemp -d)"
go build -C "$here/.." -o "$PWD/brstack" ./brstack
go build -C "$here/../.." -o "$PWD/profarc" ./cmd/profarc

build() { out=$1; shift; "$CLANG" -O2 -g -fdebug-info-for-profiling -DMAKE_LUA -std=gnu99 "$@" "$lua/onelua.c" -o "$out" -lm; }

build plain
build counted -fprofile-generate
./brstack -every 499 -o lua.perf -- ./plain "$here/work.lua" "$TRAIN" >/dev/null
LLVM_PROFILE_FILE=counted.profraw ./counted "$here/work.lua" "$TRAIN" >/dev/null

./profarc import lua.perf --binary plain -o lua.parc
./profarc export -t llvm-sample-text lua.parc -o profarc.prof
"$PROFGEN" --perfscript=lua.perf --binary=plain --format=text -o profgen.prof
./profarc import counted.profraw -o counted.parc
./profarc export -t profdata counted.parc -o counted.profdata

build sampled-profarc -fprofile-sample-use=profarc.prof
build sampled-profgen -fprofile-sample-use=profgen.prof
build instrumented -fprofile-use=counted.profdata
cmp profarc.prof profgen.prof && echo "the profiles of profarc and llvm-profgen have the same bytes"

TIMEFORMAT=%U # processor time, which other programs disturb less than the time on the wall
builds="plain sampled-profarc sampled-profgen instrumented"
for build in $builds; do : >$build.times; done
for _ in $(seq "$rounds"); do
  for build in $builds; do
    { time ./$build "$here/work.lua" "$WORK" >$build.out; } 2>>$build.times
    cmp $build.out plain.out
  done
done

echo "| build | median | of plain |"
echo "|---|---|---|"
for build in $builds; do
  sort -n $build.times | sed -n "$(((rounds + 1) / 2))p" >$build.median
  awk -v name=$build -v plain="$(cat plain.median)" '{printf "| %s | %.2f s | %.2f |\n", name, $1, $1 / plain}' $build.median
done
