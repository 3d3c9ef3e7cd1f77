// Package text writes a whole archive as text for code review and version control, and reads it again: [Write] and
// [Read]. README.md in this folder has the grammar.
//
// The input is not trusted. Malformed input is an [*Error] with line and column, and memory is proportional to the
// input.
package text
