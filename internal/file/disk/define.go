package disk

import "github.com/profarc/profarc/layout"

// Define adds a row to the table of schemas and returns a function that takes it out again. It is for tests
// which show that an entry of a new tag needs nothing but its row. No archive may be in use meanwhile.
func Define(tag layout.Tag, groups ...CellGroup) (remove func()) {
	before := schemas[tag]
	schemas[tag] = &Schema{Groups: groups}
	schemas[tag].classify()
	return func() { schemas[tag] = before }
}
