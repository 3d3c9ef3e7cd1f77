package specimen

import (
	"fmt"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// Names with any digits of a method of class A, and of a type. The digits do not change the id.
const (
	CrowdedMethod = "lzGdzWDmUzMfvwAp%08dJblVUhwsZZZZZZZZ"
	CrowdedType   = "KPbQkzSZZJNpoVZn%08dupiQXEqDZZZZZZZZ"
)

// newCrowded has 330 methods of one id, and types of another. Most have no slot in the index.
func newCrowded() *builder.Builder {
	params := layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1, TypeProfileLevel: 111, VMRelease: 17,
		ProfileTraps: 1}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params, Producer: "Example VM 1"})
	for i := range 330 {
		p := b.Profile(layout.Key{Class: "A", Name: fmt.Sprintf(CrowdedMethod, i), Signature: "()V"}, 7)
		of := b.Type(builder.TypeKey{Name: fmt.Sprintf(CrowdedType, i)})
		p.ReceiverType(builder.At{Bci: 3}, builder.Others{}, builder.Row{Type: of, Count: uint64(i)})
		_ = p.Done() // the builder keeps an error until it writes the archive
	}
	for i := range 10 {
		b.Method(layout.Key{Class: "B", Name: fmt.Sprint("m", i)})
	}
	return b
}
