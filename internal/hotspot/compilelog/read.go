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

// A Method names a method as a class file does.
type Method struct{ Class, Name, Descriptor string }

// A Node is a method in the tree of what was inlined. All compilations of a method share its tree.
type Node struct {
	Parent int   // index of the node of the caller, which comes before; -1 for a compiled method
	Bci    int32 // of the call in the caller
	Method Method
}

// Limits of a log.
const (
	MaxNodes = 1 << 20
	maxDepth = 1 << 9
	maxLine  = 1 << 20
)

// ErrTooLarge: a log has more than MaxNodes calls that were inlined.
var ErrTooLarge = errors.New("too many inlined calls")

// Read returns what C2 inlined in the compilations that succeeded. Parents come before
// their children. Lines that are not understood are passed over: other threads may write
// into the log. The error is the reader's, ctx's, or matches ErrTooLarge.
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

// A tree has each node once.
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

// A log is what was read of a log so far.
type log struct {
	tree    tree
	types   map[string]string // descriptors of classes and primitive types, by id
	methods map[string]Method // by id

	active bool   // within a task of C2
	root   Method // that is compiled
	task   []Node // what the task has parsed, if it should succeed
	open   []frame
	late   *lateCall // the call that the next outermost method is of
}

// A frame is a method that is being parsed.
type frame struct {
	node int // of task; -1 if the method is not known, and none of its calls then
	bci  int32
}

// A late is a call that is inlined once all else is parsed.
type lateCall struct {
	method string
	frames []frame // the direct caller first; node is not used
	ids    []string
}

// readElement reads an element.
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

// beginTask begins a task. Those of C1 have a level.
func (l *log) beginTask(b []byte) {
	l.endTask(false)
	words := strings.Fields(attribute(b, "method"))
	l.active = attribute(b, "level") == "" && len(words) == 3
	if l.active {
		l.root = Method{javanames.Internal(words[0]), words[1], words[2]}
		l.task = append(l.task, Node{Parent: -1, Method: l.root})
	}
}

// endTask ends a task, and keeps the parsed records if it succeeded.
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

// defineMethod learns a method by its id.
func (l *log) defineMethod(b []byte) {
	holder, ok := strings.CutPrefix(l.types[attribute(b, "holder")], "L")
	if !ok {
		return // of an array
	}
	var d strings.Builder
	d.WriteByte('(')
	for _, id := range strings.Fields(attribute(b, "arguments")) {
		d.WriteString(l.types[id])
	}
	d.WriteString(")" + l.types[attribute(b, "return")])
	l.methods[attribute(b, "id")] = Method{strings.TrimSuffix(holder, ";"), attribute(b, "name"), d.String()}
}

// beginParse begins to parse a method: the compiled one, one within the method that calls it,
// or one of a late call.
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

// addInlined adds a call to what the task has inlined.
func (l *log) addInlined(parent int, bci int32, m Method) int {
	l.task = append(l.task, Node{parent, bci, m})
	return len(l.task) - 1
}

// addLateInlined adds a late call, with the calls that lead to it.
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

// elementName returns the name of the element that begins a line, with a slash for its end.
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

// attribute returns the value of an attribute, empty if the element does not have it.
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

// descriptorOf returns the descriptor of a class or array that is named as in Class.getName.
func descriptorOf(name string) string {
	if strings.HasPrefix(name, "[") {
		return javanames.Internal(name)
	}
	return "L" + javanames.Internal(name) + ";"
}

// primitiveDescriptor returns the descriptor of a primitive type.
func primitiveDescriptor(name string) string {
	return map[string]string{"void": "V", "boolean": "Z", "byte": "B", "char": "C", "short": "S",
		"int": "I", "long": "J", "float": "F", "double": "D"}[name]
}
