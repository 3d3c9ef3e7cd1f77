package disk_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func TestNeverRanIsAsDocumented(t *testing.T) {
	holdRecord(t, "**Class row**", disk.ClassRow{Holder: 2, End: 3}.Append(nil),
		map[string][]byte{"holder": u(uint32(2)), "end": u(uint32(3))})
	holdRecord(t, "**Row**", disk.UnexecutedRow{Name: 2, Signature: 3}.Append(nil),
		map[string][]byte{"name": u(uint32(2)), "signature": u(uint32(3))})
	if got, want := disk.AppendUnexecutedHeader(nil, 7), u(uint32(7), uint32(0)); !bytes.Equal(got, want) {
		t.Errorf("the section begins with % x, want % x", got, want)
	}
	classes, rows, err := disk.ParseUnexecuted(layout.Span{Offset: 80, Size: 8 + 2*8 + 3*8}, u(uint32(2), uint32(0)))
	if want := (layout.Span{Offset: 88, Size: 16}); err != nil || classes != want ||
		rows != (layout.Span{Offset: 104, Size: 24}) {
		t.Errorf("classes at %v, rows at %v, %v", classes, rows, err)
	}
	for _, n := range []uint32{6, 1 << 31} {
		if _, _, err := disk.ParseUnexecuted(layout.Span{Offset: 80, Size: 48}, u(n, uint32(0))); err == nil {
			t.Errorf("%d classes fit into 48 bytes", n)
		}
	}
	head := disk.UnexecutedRow{Name: 2, Signature: 3}.Head()
	if head.FirstField() != 2 || head.Units() != 0 || head.Flags() != disk.MethodDeclared|disk.MethodUnexecuted {
		t.Errorf("a row stands for the head %x", uint64(head))
	}
}

func TestListsAreAsDocumented(t *testing.T) {
	list := disk.AppendList(nil, []layout.Ref{5, 6, 6})
	if want := u(uint32(1<<31|3), uint32(5), uint32(6), uint32(6)); !bytes.Equal(list, want) {
		t.Errorf("a list is % x, want % x", list, want)
	}
	if n, ok := disk.SymbolParts(list); !ok || n != 3 || disk.SymbolPart(list, 1) != 6 ||
		disk.ListSize(3) != int64(len(list)) {
		t.Errorf("% x is taken for %d parts, %v", list, n, ok)
	}
	if n, ok := disk.SymbolParts(disk.AppendSymbol(nil, "abc")); ok {
		t.Errorf("text is taken for %d parts", n)
	}
	for signature, want := range map[string][]string{
		"void()": {"void"}, "void(int,int)": {"void", "int", "int"}, "a(b,)": {"a", "b", ""}, "(a)": {"", "a"},
		"()V": nil, "": nil, "void(": nil, "void": nil,
	} {
		t.Run(signature, func(t *testing.T) {
			parts, ok := disk.SplitSignature(nil, signature)
			if ok != (want != nil) || ok && !slices.Equal(parts, want) {
				t.Errorf("%q is cut into %q, %v", signature, parts, ok)
			}
		})
	}
}
