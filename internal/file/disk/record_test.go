package disk_test

import (
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The head of a record of any flags says of the record what decoding all of it says.
func TestMethodHead(t *testing.T) {
	for flags := range layout.MethodFlags(1 << 9) {
		r := disk.MethodRecord{ID: 7, Name: 1, Flags: flags, Holder: 2, Signature: 3, Profiles: 4, Access: 5, Contexts: 6,
			NumContexts: 8}
		for units := range uint16(8) {
			r.Units = units
			b := append(r.Append(nil), make([]byte, 64)...)
			var got disk.MethodRecord
			err := got.Parse(b)
			head := disk.ParseMethodHead(b)
			id, hasID := head.ID(b)
			if head.HasValidSize() != (err == nil) {
				t.Errorf("flags 0x%x, %d units: fits %v, decoded %v", uint16(flags), units, head.HasValidSize(), err)
			}
			if err == nil && (hasID != (flags&disk.MethodHasID != 0) || hasID && id != 7 || head.Units() != units ||
				head.Flags() != flags || head.Profiles(b) != got.Profiles) {
				t.Errorf("flags 0x%x, %d units: id %d, profiles %d, want %d", uint16(flags), units, id, head.Profiles(b),
					got.Profiles)
			}
		}
	}
}
