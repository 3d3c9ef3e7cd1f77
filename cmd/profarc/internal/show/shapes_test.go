package show

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/layout"
)

func TestShapesAreReadable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	err := printShapes(&b, []layout.EntryShape{{Tag: layout.TagProducer, Name: "Operands",
		Cells: []layout.CellShape{{Name: "kinds", Kind: layout.CellBits, Bits: []string{"int", "", "string"}}},
		Rows:  []layout.CellShape{{Name: "class", Kind: layout.CellType}, {Name: "count", Kind: layout.CellCount}},
	}})
	want := "tag 192  Operands, counts of " + layout.CountUnit(0).String() + `
  once  kinds: bits 0=int, 2=string
  row   class: type
  row   count: count

1 shape
`
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
}
