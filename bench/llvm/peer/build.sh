#!/usr/bin/env bash
# Builds the peer: build.sh RELEASE OUTPUT, with RELEASE of LLVM as 19. On a
# Debian the headers and the library are installed if they are missing.
set -euo pipefail
release=$1 output=$2
config=llvm-config-$release
if ! command -v "$config" >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "llvm-$release-dev" "llvm-$release" >/dev/null
fi
compiler=g++
command -v "$compiler" >/dev/null || compiler=clang++
# shellcheck disable=SC2046 # the flags are words
"$compiler" -O2 $("$config" --cxxflags) -std=c++17 "$(dirname "$0")/lookup.cc" \
  $("$config" --ldflags --libs profiledata support) -o "$output"
