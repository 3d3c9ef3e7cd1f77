package relocate

import (
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/profarc/profarc/internal/file/disk"
)

// benchmarkMap returns a region of a number of chunks, a third of whose words are slots, and
// the map of these.
func benchmarkMap(b *testing.B, chunks int64) ([]byte, *Map) {
	rw, slots := pointerWords(chunks * chunkSize)
	return rw, mapOf(b, chunks*chunkSize, slots)
}

// benchmarkMoves are there and back.
var benchmarkMoves = [2]Move{testMove, {From: testMove.To, To: testMove.From, Size: testMove.Size}}

func BenchmarkApply(b *testing.B) {
	for name, size := range map[string]int64{"block": 512, "chunk": chunkSize} {
		b.Run(name, func(b *testing.B) {
			rw, m := benchmarkMap(b, 1)
			b.ReportAllocs()
			b.SetBytes(size)
			for i := 0; b.Loop(); i++ {
				if _, err := m.Apply(rw, 0, size, benchmarkMoves[i&1], anySlots); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkApplyAll(b *testing.B) {
	const chunks = 8
	rw, m := benchmarkMap(b, chunks)
	b.SetBytes(chunks * chunkSize)
	for i := 0; b.Loop(); i++ {
		if _, err := m.ApplyAll(rw, benchmarkMoves[i&1]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCollector(b *testing.B) {
	const chunks = 8
	_, slots := pointerWords(chunks * chunkSize)
	b.SetBytes(chunks * chunkSize)
	for b.Loop() {
		c := NewCollector(chunks * chunkSize)
		for _, at := range slots {
			c.Add(at)
		}
		if len(c.Encode(1)) == 0 {
			b.Fatal("nothing is encoded")
		}
	}
}

// BenchmarkSlotsOfABlock finds the slots of a block of 512 bytes in the middle of a chunk, in a
// list and in an array of bits: in place, and by an iterator of the library over the same bytes.
func BenchmarkSlotsOfABlock(b *testing.B) {
	const from, to = 32000, 32064
	for name, step := range map[string]int64{"list": 24, "bits": 3} {
		c := NewCollector(chunkSize)
		for word := int64(0); word < chunkWords; word += step {
			c.Add(word * wordSize)
		}
		region := c.Encode(disk.RefOf(bmStart))
		m := bytesSource(region).open(b, chunkSize)
		b.Run(name+"/in-place", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bits, err := m.checkedBitmap(0)
				var words [128]uint16
				if n := bits.fillSlots(words[:], from, to); n == 0 || err != nil {
					b.Fatal(n, err)
				}
			}
		})
		b.Run(name+"/library", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bits, err := m.checkedBitmap(0)
				set := roaring.New()
				if _, err2 := set.FromUnsafeBytes(bits); err != nil || err2 != nil {
					b.Fatal(err, err2)
				}
				it, n := set.Iterator(), 0
				for it.AdvanceIfNeeded(from); it.HasNext() && it.Next() < to; n++ {
				}
				if n == 0 {
					b.Fatal("no slot")
				}
			}
		})
	}
}
