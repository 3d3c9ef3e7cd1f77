package c_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// crowd has numbers of records of one id, and of others.
type crowd struct{ methods, types, others, unexecuted int }

func (c crowd) record(j *journal) {
	for i := range max(c.methods, c.types, c.others, c.unexecuted) {
		if i < c.methods {
			m := j.method(layout.Key{Class: "A", Name: fmt.Sprintf(specimen.CrowdedMethod, i), Signature: "()V"})
			if i%3 > 0 {
				j.begin(m, uint64(i%2), profileset.NoContext)
				j.invocations(uint64(i))
				j.done()
			}
		}
		if i < c.types {
			j.typ(fmt.Sprintf(specimen.CrowdedType, i), "")
		}
		if i < c.others {
			j.method(layout.Key{Class: "B", Name: fmt.Sprint("m", i), Signature: "()V"})
			j.typ(fmt.Sprint("C", i), "app")
		}
		if i < c.unexecuted {
			j.seen(j.method(layout.Key{Class: "A", Name: fmt.Sprintf(specimen.CrowdedMethod, 1e6+i), Signature: "()V"}))
		}
	}
}

// typeNames returns loaders that give types named x chosen ids. A loader of 16 bytes gives any id whose bytes permit
// it.
func typeNames(t *testing.T) func(id uint64) (loader string, ok bool) {
	t.Helper()
	loader := func(b uint64) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0xe7037ed1a0b428db^1), b)
	}
	known := layout.TypeID("x", string(loader(0x0101010101010101)))
	return func(id uint64) (string, bool) {
		text := loader(known ^ 0x0101010101010101 ^ id)
		if is := layout.TypeID("x", string(text)); is != id {
			t.Fatalf("the type has the id %x, not %x", is, id)
		}
		return string(text), !bytes.Contains(text, []byte{0})
	}
}

// recordBuckets records types of many ids, which crowd a bucket whatever seed a writer tries.
func recordBuckets(t *testing.T, j *journal) {
	t.Helper()
	const factor = 0xd6e8feb86659fd93
	inverse := uint64(factor) // of factor, modulo 2^64
	for range 6 {
		inverse *= 2 - factor*inverse
	}
	loaderOf := typeNames(t)
	for try := range uint64(8) {
		for i, n := uint64(0), 0; n < 400; i++ {
			id := (0x5555555555555555 + i) * inverse
			if loader, ok := loaderOf(id ^ disk.MixSeed(disk.KindType, try*0x9e3779b97f4a7c15)); ok {
				j.typ("x", loader)
				n++
			}
		}
	}
	for i := range 100 {
		j.method(layout.Key{Name: fmt.Sprint("m", i)})
	}
}

// TestCrowdedArchivesAreTheSame compares crowded archives that both languages write, and their lookups.
func TestCrowdedArchivesAreTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	b := sanitized(t, "address,undefined")
	program, dump := b.replayer(t), b.client(t, "tests/dump.c")
	journals := map[string]*journal{"buckets": newJournal(layout.DomainHotSpot, builder.Config{Producer: "VM"})}
	recordBuckets(t, journals["buckets"])
	for _, c := range []crowd{{81, 0, 3, 0}, {300, 20, 5, 0}, {321, 0, 0, 0}, {321, 400, 1000, 10}, {0, 900, 2000, 0},
		{900, 330, 30, 400}} {
		j := newJournal(layout.DomainHotSpot, builder.Config{Producer: "VM"})
		c.record(j)
		journals[fmt.Sprintf("%+v", c)] = j
	}
	for name, j := range journals {
		t.Run(name, func(t *testing.T) {
			data, message := replayed(t, program, j)
			if message != "" {
				t.Fatal(message)
			}
			compareBytes(t, j, data)
			compareLookups(t, dump, data)
		})
	}
}

// compareLookups looks up every method in both languages.
func compareLookups(t *testing.T, dump string, data []byte) {
	t.Helper()
	var want bytes.Buffer
	st := openBytes(t, data)
	for m, err := range st.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		lookups(t, &want, st, m)
	}
	got, stderr, status := runProgram(t, dump, writeArchive(t, data), "keys")
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	compare(t, want.String(), string(got))
}
