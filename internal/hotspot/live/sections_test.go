package live

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// testData is where a small MethodData of the tests has its fields.
var testData = dataSchema{size: 32, method: 0, total: 8, dataSize: 12, parameters: 16, handlers: 20, data: 24}

var testShape = disk.Shape{TypeRows: 2, BciRows: 2}

// testMethodData has one entry of every section.
func testMethodData() []byte {
	b := make([]byte, testData.data)
	add := func(tag layout.Tag, bci uint16, cells int) disk.Entry {
		var e disk.Entry
		b, e = disk.NewEntry(b, tag, 0, bci, 0, cells)
		return e
	}
	at := func() uint32 { return uint32(len(b) - int(testData.data)) }
	add(layout.TagCounter, 1, 1)
	add(layout.TagVirtualCall, 5, testShape.Cells(layout.TagVirtualCall, 0))
	size := at()
	add(layout.TagBit, 9, 0)
	add(layout.TagSpeculativeTrap, 5, 1)
	b = append(b, make([]byte, 16)...) // two free words
	add(layout.TagArgInfo, 0, 3).SetCell(0, 2)
	parameters := at()
	add(layout.TagParametersType, 0, 3).SetCell(0, 2)
	handlers := at()
	add(layout.TagBit, 20, 0)
	add(layout.TagBit, 30, 0)
	le.PutUint32(b[testData.total:], uint32(len(b)))
	le.PutUint32(b[testData.dataSize:], size)
	le.PutUint32(b[testData.parameters:], parameters)
	le.PutUint32(b[testData.handlers:], handlers)
	return b
}

func TestSections(t *testing.T) {
	s, err := testData.parseSections(testMethodData(), testShape)
	if err != nil {
		t.Fatal(err)
	}
	for section, want := range map[disk.BlockSection]int{
		disk.SectionData: 2, disk.SectionExtra: 3, disk.SectionParameters: 1, disk.SectionHandlers: 2,
	} {
		if len(s[section]) != want {
			t.Errorf("%d entries in section %s, want %d", len(s[section]), section, want)
		}
	}
}

// Whatever does not end where it must is refused, with the reason.
func TestUnsoundSectionsAreRefused(t *testing.T) {
	data, none := int(testData.data), int32(noParameters)
	for _, c := range []struct {
		name   string
		change func(b []byte)
		want   Refusal
	}{
		{"data size", func(b []byte) { le.PutUint32(b[testData.dataSize:], 8) }, RefusedData},
		{"data size beyond", func(b []byte) { le.PutUint32(b[testData.dataSize:], 1<<20) }, RefusedData},
		{"tag", func(b []byte) { b[data] = 99 }, RefusedData},
		{"handler tag of a later JDK", func(b []byte) { b[len(b)-8] = byte(layout.TagSpeculativeTrap) + 1 }, RefusedTag},
		{"extra tag of a later JDK", func(b []byte) { b[data+16+56-8] = 15 }, RefusedTag},
		{"order", func(b []byte) { b[data+16+2] = 1 }, RefusedData},
		{"extra tag", func(b []byte) { b[data+16+56-8] = byte(layout.TagJump) }, RefusedExtra},
		{"no parameters", func(b []byte) { le.PutUint32(b[testData.parameters:], uint32(none)) }, RefusedExtra},
		{"parameters beyond", func(b []byte) { le.PutUint32(b[testData.parameters:], 1<<20) }, RefusedParameters},
		{"parameters being made", func(b []byte) { le.PutUint32(b[testData.parameters:], 1<<32-1) }, RefusedParameters},
		{"handlers beyond", func(b []byte) { le.PutUint32(b[testData.handlers:], 1<<20) }, RefusedHandlers},
		{"handler tag", func(b []byte) { b[len(b)-8] = byte(layout.TagCounter) }, RefusedHandlers},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := testMethodData()
			c.change(b)
			if _, err := testData.parseSections(b, testShape); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		})
	}
}

// Sections of anything are refused or fill their places, and nothing panics.
func TestSectionsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := testMethodData()
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			b[rapid.IntRange(8, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		s, err := testData.parseSections(b, testShape)
		if err != nil {
			return
		}
		size := 0
		for _, e := range s[disk.SectionData] {
			if size += len(e); e.Tag() == disk.TagUndecoded {
				size -= disk.WideHeaderSize
			}
		}
		if size != int(le.Uint32(b[testData.dataSize:])) {
			t.Fatalf("data entries of %d bytes", size)
		}
	})
}

func TestReceiverGap(t *testing.T) {
	for gap := range 2 {
		shape := disk.Shape{TypeRows: 2, BciRows: 2, Gap: gap}
		b, e := disk.NewEntry(make([]byte, testData.data), layout.TagReceiverType, 0, 3, 0,
			shape.Cells(layout.TagReceiverType, 0))
		e.SetCell(0, 77)
		size := len(e)
		b, _ = disk.NewEntry(b, layout.TagArgInfo, 0, 0, 0, 1)
		le.PutUint32(b[testData.dataSize:], uint32(size))
		le.PutUint32(b[testData.parameters:], 1<<32-2)
		le.PutUint32(b[testData.handlers:], uint32(len(b)-int(testData.data)))
		if got := testData.guessReceiverGap([]methodData{{data: b}}, disk.Shape{TypeRows: 2, BciRows: 2}); got != shape {
			t.Errorf("gap %d, want %d", got.Gap, gap)
		}
	}
}
