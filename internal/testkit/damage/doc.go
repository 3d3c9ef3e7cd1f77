// Package damage holds the tests that break archives on purpose. Every question that a reader can be asked is
// asked of a sound archive first; then bytes are changed or cut off, and each answer must be the same as
// before or a typed error with region and offset. A false miss is a wrong answer.
//
// go test ./internal/testkit/damage looks at a seeded sample of the changes;
// PROFARC_EXHAUSTIVE=1 at all of them.
package damage
