package parse

import (
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
)

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
