package words_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/words"
)

func TestAppendWordsFromAnyAddress(t *testing.T) {
	want := []uint64{1, 1<<64 - 2, 0x0102030405060708}
	for shift := range 8 {
		b := make([]byte, shift, 40)
		for _, w := range want[1:] {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		if got := words.AppendWords(want[:1:1], b[shift:]); !slices.Equal(got, want) {
			t.Errorf("from byte %d: %x", shift, got)
		}
	}
	if got := words.AppendWords(want, nil); !slices.Equal(got, want) {
		t.Errorf("no words: %x", got)
	}
}
