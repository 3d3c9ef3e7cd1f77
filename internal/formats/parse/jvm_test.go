package parse

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/layout"
)

// writeClass writes a class Zoo into a folder, whose method feed(I)I has the given code.
func writeClass(t *testing.T, code ...byte) (folder string) {
	t.Helper()
	be := binary.BigEndian
	b := []byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 8}
	for _, text := range []string{"Zoo", "java/lang/Object", "feed", "(I)I", "Code"} { // constants 1 to 5
		b = append(be.AppendUint16(append(b, 1), uint16(len(text))), text...)
	}
	b = append(b, 7, 0, 1, 7, 0, 2)                               // constants 6 and 7 are the classes
	b = append(b, 0, 0, 0, 6, 0, 7, 0, 0, 0, 0)                   // access, this, super, no interfaces, no fields
	b = append(b, 0, 1, 0, 8, 0, 3, 0, 4, 0, 1, 0, 5)             // a method with an attribute
	b = be.AppendUint32(b, uint32(12+len(code)))                  // its size
	b = be.AppendUint32(append(b, 0, 2, 0, 2), uint32(len(code))) // stack, variables
	b = append(append(b, code...), 0, 0, 0, 0, 0, 0)              // no handlers, no attributes
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "Zoo.class"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// A code id is that of a class file whose profile points are those of the profile, unless several differ.
func TestCodeIDsOfClassPaths(t *testing.T) {
	t.Parallel()
	code := []byte{bytecode.ILoad, 0, bytecode.IfEq, 0, 4, 172, 3, 172}
	one, same := writeClass(t, code...), writeClass(t, code...)
	other := writeClass(t, bytecode.ILoad, 1, bytecode.IfEq, 0, 4, 172, 3, 172)
	list := "missing" + string(filepath.ListSeparator) + one
	feed := layout.Key{Class: "Zoo", Name: "feed", Signature: "(I)I"}
	branch := []CodePoint{{2, layout.TagBranch}}
	for name, c := range map[string]struct {
		path   []string
		key    layout.Key
		points []CodePoint
		want   uint64
	}{
		"one class":              {[]string{one}, feed, branch, bytecode.CodeID(code)},
		"a list":                 {[]string{list}, feed, branch, bytecode.CodeID(code)},
		"the same class twice":   {[]string{one, same}, feed, branch, bytecode.CodeID(code)},
		"classes that differ":    {[]string{one, other}, feed, branch, 0},
		"another kind of point":  {[]string{one}, feed, []CodePoint{{2, layout.TagJump}}, 0},
		"another place":          {[]string{one}, feed, []CodePoint{{3, layout.TagBranch}}, 0},
		"a point more":           {[]string{one}, feed, []CodePoint{{2, layout.TagBranch}, {5, layout.TagJump}}, 0},
		"no point":               {[]string{one}, feed, nil, 0},
		"a method that it lacks": {[]string{one}, layout.Key{Class: "Zoo", Name: "run", Signature: "()V"}, nil, 0},
		"a class that is absent": {[]string{one}, layout.Key{Class: "Ape", Name: "feed", Signature: "(I)I"}, branch, 0},
		"no class path":          {nil, feed, branch, 0},
	} {
		t.Run(name, func(t *testing.T) {
			codes, err := OpenCodes(c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer codes.Close()
			if id := codes.FindID(c.key, c.points); id != c.want {
				t.Errorf("code id %x, want %x", id, c.want)
			}
		})
	}
	if _, err := OpenCodes([]string{"missing"}); err == nil {
		t.Error("a class path that is not there is no error")
	}
}
