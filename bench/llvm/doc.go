// Command llvm measures archives of LLVM's profiles against llvm-profdata and
// against LLVM's own reader, all in one run, and prints the tables that stand in
// the README of the benches:
//
//	go run ./bench/llvm -n 1000000
//
// It makes the profiles of two runs of a synthetic program, as text, and lets
// the llvm-profdata under test turn them into .profdata, so that what is read is
// what LLVM writes. Importing takes turns with llvm-profdata merge of the same
// files. Look-ups take turns with a small C++ program (peer/lookup.cc) that uses
// IndexedInstrProfReader: the same keys, in the same order, each turn after one
// that is not timed, so that both find the caches as they left them.
package main
