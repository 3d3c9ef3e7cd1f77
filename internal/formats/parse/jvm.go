package parse

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
)

// Losses of profiles of JVMs, which several formats have.
const (
	LossLoaders codec.LossKind = "class loaders of methods: the file does not name them"
	LossWidths  codec.LossKind = "widths of entries: nothing in the file shows how many rows they have; 2 are assumed"
	LossCodeIDs codec.LossKind = "code ids of methods: neither the file nor a class path has fitting bytecodes, so that " +
		"no VM adopts these profiles"
)

// ClassPathOption declares the option to take code ids from class files, which several formats have.
func ClassPathOption(field *[]string) codec.Option {
	return codec.NewOption("class-path", field, "class path of the program, and the home of its JDK: profiles without "+
		"bytecodes get the code ids of its methods; may be given several times")
}

// Codes finds the code ids of methods in class files. A nil *Codes finds none.
type Codes struct{ path *classfile.Path }

// OpenCodes opens a class path, whose elements may be class paths. It returns nil if there are none.
func OpenCodes(elements []string) (*Codes, error) {
	if len(elements) == 0 {
		return nil, nil
	}
	var all []string
	for _, e := range elements {
		all = append(all, classfile.SplitPath(e)...)
	}
	path, err := classfile.Open(all, 0)
	return &Codes{path}, err
}

func (c *Codes) Close() {
	if c != nil {
		c.path.Close()
	}
}

// A CodePoint is a profile point of a method: an entry of its data.
type CodePoint struct {
	Bci int32
	Tag layout.Tag
}

var pointKinds = map[layout.Tag]methodcode.PointKind{
	layout.TagCounter: methodcode.Call, layout.TagCallType: methodcode.Call, layout.TagVirtualCall: methodcode.VirtualCall,
	layout.TagVirtualCallType: methodcode.VirtualCall, layout.TagReceiverType: methodcode.TypeCheck,
	layout.TagBit: methodcode.TypeCheck, layout.TagJump: methodcode.Jump, layout.TagBranch: methodcode.Branch,
	layout.TagMultiBranch: methodcode.Switch, layout.TagRet: methodcode.Ret,
}

// FindID returns the code id of a method whose bytecodes have exactly these points. It is 0 if there is no such code,
// or if several class files differ in it.
func (c *Codes) FindID(k layout.Key, points []CodePoint) (id uint64) {
	if c == nil {
		return 0
	}
	files, _ := c.path.AllClasses(k.Class) // an error means that no file is sound
	for _, f := range files {
		m, ok := f.Method(k.Name, k.Signature)
		if !ok || !hasPoints(m.Code, points) {
			continue
		}
		other := bytecode.CodeID(m.Code)
		if id != 0 && id != other {
			return 0
		}
		id = other
	}
	return id
}

func hasPoints(code []byte, points []CodePoint) bool {
	found, ok := bytecode.Points(code)
	return ok && slices.EqualFunc(found, points, func(p bytecode.Point, q CodePoint) bool {
		return p.Bci == int(q.Bci) && p.Kind == pointKinds[q.Tag]
	})
}

// VMNames interns classes and methods by their names in a JVM. Hidden classes get canonical names.
type VMNames struct {
	*builder.Builder
	Hidden map[string]string // canonical names of hidden classes, by name in the VM
}

// InternType interns a type. Its name in the VM becomes the alias of a hidden class.
func (n *VMNames) InternType(name, loader string) builder.TypeRef {
	class := javanames.ElementClass(name)
	canonical, hidden := n.Hidden[class]
	if !hidden {
		return n.Type(builder.TypeKey{Name: name, Loader: loader})
	}
	t := n.Type(builder.TypeKey{Name: strings.Replace(name, class, canonical, 1), Loader: loader})
	n.Internal().DescribeType(t, name, layout.TypeHidden|layout.TypeNotMatchable)
	return t
}

// InternMethod interns a method and its class. One that cannot be identified in another run is not matchable.
func (n *VMNames) InternMethod(k layout.Key) builder.MethodRef {
	n.InternType(k.Class, k.Loader)
	canonical, hidden := n.Hidden[k.Class]
	if hidden {
		k.Class = canonical
	}
	m := n.Method(k)
	if hidden || k.Signature == "" || k.Loader != "" {
		n.Internal().DescribeMethod(m, 0, layout.MethodNotMatchable)
	}
	return m
}
