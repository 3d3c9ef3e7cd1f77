#!/bin/bash
# speed.sh PROGRAM SOURCES [ROUNDS]: the times of a program, whose sources are in a folder, compiled by clang with plain
# -O2, with sample profiles made by profarc and by llvm-profgen, and with an instrumented profile. PROGRAM is one of
#
#	lua     the interpreter, which runs work.lua; SOURCES is a checkout of Lua
#	sqlite  its speedtest1, in memory; SOURCES has sqlite3.c, sqlite3.h and speedtest1.c
#	zstd    the command, which compresses sources of Go at level 9; SOURCES is a release of zstd
#
# The samples are of a shorter run: brstack records them where the processor has no branch records. The instrumented
# program runs the same input. Runs of the builds alternate, and the table has medians of the processor time.
set -e
here=$(cd "$(dirname "$0")" && pwd)
program=$1
sources=$(cd "$2" && pwd)
rounds=${3:-15}
: "${CLANG:=clang-19}" "${PROFGEN:=llvm-profgen-19}"
cd "$(mktemp -d)"
go build -C "$here/.." -o "$PWD/brstack" ./brstack
go build -C "$here/../.." -o "$PWD/profarc" ./cmd/profarc

case $program in
lua)
  compile=(-DMAKE_LUA -std=gnu99 "$sources/onelua.c" -lm)
  train=("$here/work.lua" 10) work=("$here/work.lua" 300) every=499
  ;;
sqlite)
  compile=(-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION "-I$sources" "$sources"/{sqlite3,speedtest1}.c -lm)
  train=(--testset main --size 1 --verify :memory:) work=(--testset main --size 50 --verify :memory:) every=1999
  ;;
zstd)
  find "$(go env GOROOT)/src" -name '*.go' | sort | xargs cat | head -c 30000000 >large
  head -c 300000 large >small
  compile=(-DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 "-I$sources/lib" "-I$sources/lib/common"
    "$sources"/programs/*.c "$sources"/lib/{common,compress,decompress,dictBuilder}/*.c)
  train=(-q -c -9 small) work=(-q -c -9 large) every=1999
  ;;
*) sed -n '2,/^$/s/^# *//p' "$0" | head -7; exit 2 ;;
esac

build() { out=$1; shift; "$CLANG" -O2 -g -fdebug-info-for-profiling "$@" "${compile[@]}" -o "$out"; }

build plain
build counted -fprofile-generate
./brstack -every "$every" -o samples.perf -- ./plain "${train[@]}" >/dev/null
LLVM_PROFILE_FILE=counted.profraw ./counted "${train[@]}" >/dev/null

./profarc import samples.perf --binary plain -o samples.parc
./profarc export -t llvm-sample-text samples.parc -o profarc.prof
"$PROFGEN" --perfscript=samples.perf --binary=plain --format=text -o profgen.prof
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
    { time ./$build "${work[@]}" >$build.out; } 2>>$build.times
    sed -i 's/ *[0-9.]*s$//' $build.out # the times that speedtest1 prints
    cmp $build.out plain.out
  done
done

echo "| build | median | of plain |"
echo "|---|---|---|"
for build in $builds; do
  sort -n $build.times | sed -n "$(((rounds + 1) / 2))p" >$build.median
  awk -v name=$build -v plain="$(cat plain.median)" '{printf "| %s | %.2f s | %.2f |\n", name, $1, $1 / plain}' $build.median
done
