package compilelog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/names/javanames"
)

type Method struct{ Class, Name, Descriptor string }

// A Node is a method in the tree of inlined calls. All compilations of a method share its tree.
type Node struct {
	Parent int   // index of the caller's node, which comes before; -1 for a compiled method
	Bci    int32 // bci of the call in the caller
	Method Method
}

const (
	MaxNodes = 1 << 20
	maxDepth = 1 << 9
	maxLine  = 1 << 20
)

var ErrTooLarge = errors.New("too many inlined calls")

// Read returns the calls that C2 inlined in successful compilations. Parents precede their children. Unknown lines
// are skipped, since other threads may write into the log. The error comes from r or ctx, or matches ErrTooLarge.
func Read(ctx context.Context, r io.Reader, name string) ([]Node, error) {
	l := &log{tree: tree{known: map[Node]int{}}, types: map[string]string{}, methods: map[string]Method{}}
	lines := parse.NewLinesLimited(r, name, maxLine, parse.OverlongKeepStart)
	for n := 0; ; n++ {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return l.tree.nodes, nil
		case err != nil:
			return nil, err
		case n%4096 == 0 && ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
		l.readElement(bytes.TrimLeft(line, " "))
		if len(l.tree.nodes) > MaxNodes || len(l.task) > MaxNodes {
			return nil, fmt.Errorf("%s: %w: more than %d", name, ErrTooLarge, MaxNodes)
		}
	}
}

type tree struct {
	nodes []Node
	known map[Node]int
}

func (t *tree) addNode(n Node) int {
	at, ok := t.known[n]
	if !ok {
		at = len(t.nodes)
		t.known[n] = at
		t.nodes = append(t.nodes, n)
	}
	return at
}

type log struct {
	tree    tree
	types   map[string]string // descriptors of classes and primitive types, by id
	methods map[string]Method // methods by id

	active bool   // whether a task of C2 is open
	root   Method // method that the task compiles
	task   []Node // methods that the task has parsed; added to tree if it succeeds
	open   []frame
	late   *lateCall // late call that the next outermost method inlines
}

type frame struct {
	node int // index in task; -1 if the method is unknown, and its calls are then ignored
	bci  int32
}

type lateCall struct {
	method string
	frames []frame // callers, the direct one first; node is unused
	ids    []string
}

func (l *log) readElement(b []byte) {
	name := elementName(b)
	switch {
	case name == "task":
		l.beginTask(b)
	case !l.active:
	case name == "type":
		l.types[attribute(b, "id")] = primitiveDescriptor(attribute(b, "name"))
	case name == "klass":
		l.types[attribute(b, "id")] = descriptorOf(attribute(b, "name"))
	case name == "method":
		l.defineMethod(b)
	case name == "bc" && len(l.open) > 0:
		l.open[len(l.open)-1].bci = parseInt32(attribute(b, "bci"))
	case name == "late_inline":
		l.late = &lateCall{method: attribute(b, "method")}
	case name == "jvms" && l.late != nil && len(l.late.frames) < maxDepth:
		l.late.frames = append(l.late.frames, frame{bci: parseInt32(attribute(b, "bci"))})
		l.late.ids = append(l.late.ids, attribute(b, "method"))
	case name == "parse":
		l.beginParse(attribute(b, "method"))
	case name == "/parse" && len(l.open) > 0:
		l.open = l.open[:len(l.open)-1]
	case name == "task_done":
		l.endTask(attribute(b, "success") == "1")
	}
}

// beginTask starts a task. C1's tasks have a level and are skipped.
func (l *log) beginTask(b []byte) {
	l.endTask(false)
	words := strings.Fields(attribute(b, "method"))
	l.active = attribute(b, "level") == "" && len(words) == 3
	if l.active {
		l.root = Method{javanames.InternalName(words[0]), words[1], words[2]}
		l.task = append(l.task, Node{Parent: -1, Method: l.root})
	}
}

func (l *log) endTask(success bool) {
	if success {
		became := make([]int, len(l.task))
		for i, n := range l.task {
			if n.Parent >= 0 {
				n.Parent = became[n.Parent]
			}
			became[i] = l.tree.addNode(n)
		}
	}
	l.active = false
	l.task = l.task[:0]
	l.open = l.open[:0]
	l.late = nil
}

func (l *log) defineMethod(b []byte) {
	holder, ok := strings.CutPrefix(l.types[attribute(b, "holder")], "L")
	if !ok {
		return // method of an array class
	}
	var d strings.Builder
	d.WriteByte('(')
	for _, id := range strings.Fields(attribute(b, "arguments")) {
		d.WriteString(l.types[id])
	}
	d.WriteString(")" + l.types[attribute(b, "return")])
	l.methods[attribute(b, "id")] = Method{strings.TrimSuffix(holder, ";"), attribute(b, "name"), d.String()}
}

// beginParse starts a method: the compiled one, one nested in its caller, or one of a late call.
func (l *log) beginParse(id string) {
	m, known := l.methods[id]
	node := -1
	last := len(l.open) - 1
	switch {
	case !known || last >= maxDepth:
	case last >= 0:
		if parent := l.open[last]; parent.node >= 0 {
			node = l.addInlined(parent.node, parent.bci, m)
		}
	case l.late != nil && l.late.method == id:
		node = l.addLateInlined(m)
	case m == l.root:
		node = 0
	}
	l.late = nil
	l.open = append(l.open, frame{node: node})
}

func (l *log) addInlined(parent int, bci int32, m Method) int {
	l.task = append(l.task, Node{parent, bci, m})
	return len(l.task) - 1
}

// addLateInlined adds a late call and the calls that lead to it. It returns its index, -1 if a method is unknown.
func (l *log) addLateInlined(m Method) int {
	node := 0
	late := l.late
	if len(late.ids) == 0 || l.methods[late.ids[len(late.ids)-1]] != l.root {
		return -1
	}
	for i := len(late.frames) - 1; i >= 0; i-- {
		callee := m
		if i > 0 {
			var known bool
			callee, known = l.methods[late.ids[i-1]]
			if !known {
				return -1
			}
		}
		node = l.addInlined(node, late.frames[i].bci, callee)
	}
	return node
}

func elementName(b []byte) string {
	if len(b) == 0 || b[0] != '<' {
		return ""
	}
	end := bytes.IndexAny(b, " >")
	if end < 0 {
		return ""
	}
	return string(b[1:end])
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")

func attribute(b []byte, name string) string {
	_, rest, ok := bytes.Cut(b, []byte(" "+name+"='"))
	value, _, ended := bytes.Cut(rest, []byte("'"))
	if !ok || !ended {
		return ""
	}
	return entities.Replace(string(value))
}

func parseInt32(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return -1
	}
	return int32(n)
}

func descriptorOf(name string) string {
	if strings.HasPrefix(name, "[") {
		return javanames.InternalName(name)
	}
	return "L" + javanames.InternalName(name) + ";"
}

func primitiveDescriptor(name string) string {
	return map[string]string{"void": "V", "boolean": "Z", "byte": "B", "char": "C", "short": "S",
		"int": "I", "long": "J", "float": "F", "double": "D"}[name]
}
