package iprof

import (
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// An intake interns types and methods while the rest of the file is read.
type intake struct {
	arrived chan methodRows // rows that were read
	wait    sync.WaitGroup
}

// internArrived interns all types and the methods read by now, concurrently with the parser, which it never blocks.
// Later calls include the rows that are not yet interned.
func (b *build) internArrived() {
	in := &b.intake
	if in.arrived == nil {
		in.arrived = make(chan methodRows, 1)
		in.wait.Go(func() {
			b.internTypes()
			done := 0
			for all := range in.arrived {
				for ; done < len(all); done++ {
					b.internMethods(&all[done])
				}
			}
		})
	}
	select {
	case <-in.arrived:
	default:
	}
	in.arrived <- b.methods
}

func (b *build) waitForIntake() {
	if b.intake.arrived != nil {
		close(b.intake.arrived)
		b.intake.wait.Wait()
	}
}

func (b *build) internMethods(batch *methodBatch) {
	first := len(b.methodRefs)
	b.methodRefs = append(growDoubling(b.methodRefs, len(batch.rows)), make([]builder.MethodRef, len(batch.rows))...)
	b.ran = append(growDoubling(b.ran, len(batch.rows)), make([]bool, len(batch.rows))...)
	for i := range batch.rows {
		from, end := batch.nameSpan(i)
		b.methodRefs[first+i] = b.b.Method(b.methodKey(string(batch.names[from:end]), batch.signature(i)))
		b.methodRows.setRow(batch.rows[i].id, first+i)
		if ref := uint32(b.methodRefs[first+i]); b.taken.containsRef(ref) {
			b.doubled = append(b.doubled, first+i)
		} else {
			b.taken.insertRef(ref)
		}
	}
}

func (b *build) methodKey(name string, signature []int64) layout.Key {
	k := layout.Key{Name: name}
	if len(signature) == 0 {
		return k
	}
	b.typeForID(signature[0])
	row, _ := b.typeRows.rowOfID(signature[0])
	k.Signature = string(b.appendSignature(nil, signature[1:]))
	switch {
	case row >= len(b.types):
		k.Class = formatIDName(signature[0])
	case b.types[row].name == "":
		k.Signature = b.spelled[row] + noNameEnd + k.Signature
	default:
		k.Class = b.types[row].name
		k.Loader = b.numbers[row]
	}
	return k
}

// numberDuplicates gives methods with equal keys distinct signatures. The number is the first free one of the key.
func (b *build) numberDuplicates() {
	free := make(map[builder.MethodRef]int)
	for _, row := range b.doubled {
		batch, place := b.methods.batchOfRow(row)
		from, to := batch.nameSpan(place)
		key := b.methodKey(string(batch.names[from:to]), batch.signature(place))
		signature := key.Signature
		first := b.methodRefs[row]
		n := max(2, free[first])
		for ; b.taken.containsRef(uint32(b.methodRefs[row])) && b.b.Err() == nil; n++ {
			key.Signature = signature + duplicateMark(n)
			b.methodRefs[row] = b.b.Method(key)
			b.b.Internal().DescribeMethod(b.methodRefs[row], 0, layout.MethodNotMatchable)
		}
		free[first] = n
		b.taken.insertRef(uint32(b.methodRefs[row]))
	}
}

func (b *build) dropMethodRows() {
	for i := range b.methods {
		b.methods[i].names, b.methods[i].ids = nil, nil
	}
	b.intake = intake{}
	b.taken = nil
	b.doubled = nil
}

func (b *build) appendSignature(text []byte, ids []int64) []byte {
	if len(ids) == 0 {
		return text
	}
	text = append(append(text, b.spelledType(ids[0])...), '(')
	for i := 1; i < len(ids) && len(text) <= disk.MaxName; i++ { // the builder refuses a longer key
		if i > 1 {
			text = append(text, ',')
		}
		text = append(text, b.spelledType(ids[i])...)
	}
	return append(text, ')')
}

func (b *build) spelledType(id int64) string {
	row, ok := b.typeRows.rowOfID(id)
	if !ok {
		b.typeForID(id)
		row, _ = b.typeRows.rowOfID(id)
	}
	return b.spelled[row]
}
