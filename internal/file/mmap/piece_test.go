package mmap

import (
	"runtime"
	"testing"
)

func TestPieces(t *testing.T) {
	type pair struct {
		large [2]uint64
		small uint16
	}
	piece, pairs := NewPieceOf[pair](1000)
	if piece == nil || len(pairs) != 1000 {
		t.Fatalf("%d values, piece %v", len(pairs), piece)
	}
	for i := range pairs {
		if pairs[i] != (pair{}) {
			t.Fatalf("value %d is %v", i, pairs[i])
		}
		pairs[i] = pair{[2]uint64{1: uint64(i)}, uint16(i)}
	}
	runtime.GC() // the piece is reachable
	if pairs[999].large[1] != 999 || pairs[999].small != 999 {
		t.Errorf("the last value is %v", pairs[999])
	}
	piece.Release()
	piece.Release()
	(*Piece)(nil).Release()
}

// Values with pointers must not lie where the garbage collector does not look.
func TestPiecesWithoutPointers(t *testing.T) {
	type named struct {
		number int
		name   string
	}
	piece, all := NewPieceOf[named](3)
	if piece != nil || len(all) != 3 || all[2] != (named{0, ""}) {
		t.Errorf("texts lie in %v", piece)
	}
	if piece, _ := NewPieceOf[[2]*int](3); piece != nil {
		t.Errorf("pointers lie in %v", piece)
	}
	if piece, all := NewPieceOf[int](0); piece != nil || len(all) != 0 {
		t.Errorf("no values lie in %v", piece)
	}
}
