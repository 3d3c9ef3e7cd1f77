package disk_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The tests of this file compute the hash test vectors of docs/format.md.

func hexNumber(t *testing.T, s string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestHashVectors(t *testing.T) {
	for _, row := range tableBehind(t, "| text | XXH64") {
		text := strings.Replace(row[0], "(empty)", "", 1)
		if got := disk.Checksum([]byte(text)); got != hexNumber(t, row[1]) {
			t.Errorf("XXH64 of %q is %016x, the page says %s", text, got, row[1])
		}
	}
	for _, row := range tableBehind(t, "### Method id") {
		k := layout.Key{Class: row[1], Name: row[2], Signature: row[3], Loader: row[4]}
		if got := k.ID(layout.Domain(number(t, row[0]))); got != hexNumber(t, row[5]) {
			t.Errorf("id of %+v is %016x, the page says %s", k, got, row[5])
		}
	}
	for _, row := range tableBehind(t, "### Type id") {
		if got := layout.TypeID(row[0], row[1]); got != hexNumber(t, row[2]) {
			t.Errorf("id of type %v is %016x, the page says %s", row[:2], got, row[2])
		}
	}
}

func TestMixVectors(t *testing.T) {
	for _, row := range tableBehind(t, "### Mix") {
		h := disk.MixHash(hexNumber(t, row[0]), disk.RecordKind(number(t, row[1])), uint64(number(t, row[2])))
		bucket, rest := h.SplitBucket(uint64(number(t, row[3])))
		if uint64(h) != hexNumber(t, row[4]) || bucket != uint64(number(t, row[5])) || rest != hexNumber(t, row[6]) {
			t.Errorf("mix of %v: %016x, bucket %d, rest %016x", row, uint64(h), bucket, rest)
		}
		if int(h.Fingerprint()) != number(t, row[7]) || h.OverflowBit() != 1<<number(t, row[8]) {
			t.Errorf("mix of %v: fingerprint %d, overflow 0x%x", row, h.Fingerprint(), h.OverflowBit())
		}
		for i, multiplier := range []uint32{1, 3} {
			if slot := disk.SlotOf(multiplier<<16, rest); int(slot) != number(t, row[9+i]) {
				t.Errorf("mix of %v: slot %d with multiplier %d", row, slot, multiplier)
			}
		}
	}
}
