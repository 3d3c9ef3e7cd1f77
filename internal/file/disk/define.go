package disk

import "github.com/profarc/profarc/layout"

// DefineSchema adds a row to the schema table and returns a function that removes it. Tests use it to show that a new
// tag needs only its row. No archive may be in use meanwhile.
func DefineSchema(tag layout.Tag, groups ...CellGroup) (remove func()) {
	before := schemas[tag]
	schemas[tag] = &Schema{Groups: groups}
	schemas[tag].classify()
	return func() { schemas[tag] = before }
}
