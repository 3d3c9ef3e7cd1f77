// Package damage tests readers with damaged archives. The tests first make all possible queries to a sound archive.
// Then they change or truncate bytes. Each result must stay the same or be a typed error with region and offset. A
// damaged archive must not report a record as missing that it contains.
//
// By default the tests check a seeded sample of the changes. With PROFARC_EXHAUSTIVE=1 they check all of them.
package damage
