package damage

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// sharing returns an archive with many methods of one class, and a type with a long name.
func sharing(class string, methods int) *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	b.Type(builder.TypeKey{Name: strings.Repeat("x", disk.MaxName)})
	for i := range methods {
		p := b.Profile(layout.Key{Class: class, Name: "m" + strconv.Itoa(i), Signature: "()V"}, 0)
		p.Invocations(1)
		done(p)
	}
	return b
}

func done(p *builder.Profile) { _ = p.Done() }

// TestNamesThatAreSharedTooOftenAreRefused: a class name of 1 MiB that is shared by
// hundreds of methods makes keys of 200 MiB in a file of 1 MB. No builder writes such an
// archive, and verify and all other users refuse it.
func TestNamesThatAreSharedTooOftenAreRefused(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	const methods = 200
	if _, _, err := sharing(strings.Repeat("y", disk.MaxName), methods).Bytes(); !errors.Is(err, layout.ErrTooLarge) {
		t.Errorf("the builder returns %v", err)
	}
	data, _, err := sharing("A", methods).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if report, err := verify.Store(t.Context(), open(t, data), nil); err != nil || !report.Sound() {
		t.Fatalf("%v, %v", report.Problems, err)
	}
	if err := overshare(data); err != nil {
		t.Fatal(err)
	}
	if report, err := verify.Store(t.Context(), open(t, data), nil); err != nil || report.Sound() {
		t.Errorf("verify accepts it: %v", err)
	}
	// Nobody gets so far that it costs: each of the users goes through the methods.
	for _, u := range users(layout.DomainHotSpot, func() *reader.Store { return open(t, data) }) {
		if strings.HasSuffix(u.name, "adoption") {
			continue
		}
		if err := u.use(t, open(t, data)); !errors.Is(err, layout.ErrCorrupt) {
			t.Errorf("%s: %v", u.name, err)
		}
	}
}

// overshare replaces the holder of all methods by the type with the longest name, and updates all checksums. A builder
// would not share a long name that often.
func overshare(data []byte) error {
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		return err
	}
	var holder layout.Ref
	longest := int64(-1)
	types := h.Parts[disk.PartTypes]
	for at := types.Offset; at < types.End(); at += disk.TypeSize {
		if n := disk.SymbolLength(data[disk.ParseType(data[at:]).Name.Offset():]); n > longest {
			longest = n
			holder = disk.RefOf(at)
		}
	}
	section := h.Parts[disk.PartMethods]
	for at := section.Offset; at < section.End(); {
		head := disk.ParseMethodHead(data[at:])
		if head.Flags()&disk.MethodDeclared != 0 {
			field := int64(disk.MinMethodSize)
			if head.Flags()&disk.MethodHasID != 0 {
				field += 8
			}
			binary.LittleEndian.PutUint32(data[at+field:], uint32(holder))
		}
		at += head.Size()
	}
	updateAllChecksums(data, h)
	return nil
}

// updateAllChecksums updates all checksums of an archive with this layout.
func updateAllChecksums(data []byte, h *layout.Header) {
	tree := disk.SumTreeOf(h)
	ps := disk.RegionOf(h, disk.RegionPS)
	for n := range tree.Pages() {
		page := tree.PageSpan(n)
		binary.LittleEndian.PutUint64(data[ps.Offset+tree.SlotOffset(0, n):], disk.Checksum(data[page.Offset:page.End()]))
	}
	binary.LittleEndian.PutUint64(data[sumRootAt:], tree.ComputeLevels(data[ps.Offset:ps.End()]))
	disk.UpdateChecksum(data)
}
