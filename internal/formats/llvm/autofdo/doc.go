// Package autofdo counts samples of a processor at the lines of a program, as llvm-profgen does.
//
// A processor with branch records (Intel's LBR, AMD's BRS and LBRv2, ARM's BRBE) gives for each sample the last taken
// branches. Between the target of a branch and the source of the next one, the program ran straight on. A
// [Program] counts these ranges and the branches, and Profile finds their source lines, with discriminators and inlined
// calls.
//
// A program built with -fpseudo-probe-for-profiling has probes for its blocks and calls, which replace lines:
// they survive edits of comments and layout.
//
// The program and its debug information are not trusted: every address and offset is checked.
package autofdo
