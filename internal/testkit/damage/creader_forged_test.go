package damage

import (
	"encoding/binary"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// agreeOnForgery reports whether both readers refuse a forgery, or print the same of it;
// taken is whether the Go reader takes it.
func agreeOnForgery(t *testing.T, f *readerProcess, forged *forger, r reference,
	value uint64) (agree, taken bool) {
	m, err := archive.FromBytes("forged.parc", forged.Bytes(), archive.Options{})
	hash := xxhash.New()
	if err == nil {
		err = jsondump.WriteArchive(hash, reader.New(m))
	}
	status, printed := f.Verdict(t, forged.Edits()...)
	if agree = (err == nil) == (status == 0) && (err != nil || printed == hash.Sum64()); !agree {
		t.Errorf("%s at 0x%x set to 0x%x: Go says %v, C exits with %d; same output: %v", r.What, r.At, value, err, status,
			printed == hash.Sum64())
	}
	return agree, err == nil
}

// TestBothReadersAgreeOnColumns gives the columns of every table other kinds: a
// table must begin with the columns of its kind.
func TestBothReadersAgreeOnColumns(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := creaderForgeries(t)
	refused := 0
	for _, s := range specimen.All() {
		data := bytesOf(t, s)
		f, err := newForger(data)
		if err != nil {
			t.Fatal(err)
		}
		c := startProcess(t, program, data)
		ex := disk.RegionOf(open(t, data).Header(), disk.RegionEX)
		for i := range int64(binary.LittleEndian.Uint32(append(data[ex.Offset:ex.End():ex.End()], 0, 0, 0, 0))) {
			kinds := int64(binary.LittleEndian.Uint64(data[ex.Offset+disk.TablesHeaderSize+i*disk.TableRowSize+8:])) + 16
			word := uint64(binary.LittleEndian.Uint32(data[kinds:]))
			for column := 0; column < 4 && word>>(8*column)&0xff != 0; column++ {
				for kind := range uint64(8) {
					r := reference{What: s.Name + ", column kinds", At: kinds, Form: narrowForm}
					value := word&^(0xff<<(8*column)) | kind<<(8*column)
					f.Set(r, value)
					if _, taken := agreeOnForgery(t, c, f, r, value); !taken {
						refused++
					}
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no column was refused")
	}
}

// TestBothReadersAgreeOnForgeries makes every reference of every specimen lead to every place of its file:
// both readers must refuse the same forgeries and print the same of all others. With PROFARC_EXHAUSTIVE it
// takes some minutes; without, it is a sample.
func TestBothReadersAgreeOnForgeries(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := creaderForgeries(t)
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			data := bytesOf(t, s)
			c := startProcess(t, program, data)
			var n, taken, differ int
			err := eachForgery(data, pickOneIn(100, t.Name()), func(f *forger, r reference, value uint64) {
				if differ == 20 {
					return
				}
				n++
				agree, sound := agreeOnForgery(t, c, f, r, value)
				if !agree {
					differ++
				}
				if sound {
					taken++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d forgeries, %d of them taken", n, taken)
		})
	}
}
