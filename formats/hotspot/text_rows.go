package hotspot

import (
	"bytes"
	"fmt"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/layout"
)

// The further lines of an entry. All but the names of type lists stand at
// columnBody.

func (p *textParser) notTaken(e *textEntry) error {
	return p.line(func(c *cursor) {
		c.Expect(indent + "not taken(")
		e.notTaken = c.Number(math.MaxUint64)
		c.Expect(")")
		c.End()
	})
}

// cases reads as many cases as follow.
func (p *textParser) cases(e *textEntry) error {
	for p.beginsWith(indent + "count(") {
		err := p.line(func(c *cursor) {
			c.Expect(indent)
			e.cases = append(e.cases, builder.SwitchCase{Count: c.field("count("), Displacement: c.displacement()})
			c.End()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// returns reads rows like "bci(7: count(3414) displacement(-24))".
func (p *textParser) returns(e *textEntry, rows int) error {
	for range rows {
		err := p.line(func(c *cursor) {
			c.Expect(indent + "bci(")
			row := builder.RetRow{Bci: c.Number(math.MaxInt32)}
			c.Expect(": ")
			row.Count, row.Displacement = c.field("count("), c.displacement()
			c.Expect(")")
			c.End()
			e.returns = append(e.returns, row)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// receivers reads rows like "'java/lang/String'(42105 0.70)", and the types
// behind them. The share is what the counts make it.
func (p *textParser) receivers(e *textEntry, rows int) error {
	for range rows {
		err := p.line(func(c *cursor) {
			c.Expect(indent)
			typ := p.spelling(c, bytes.LastIndexByte(c.Rest(), '('))
			row := textRow{typ: typ, count: c.receiverCount()}
			e.rows = append(e.rows, row)
		})
		if err != nil {
			return err
		}
	}
	if e.tag == layout.TagVirtualCall {
		return p.types(e)
	}
	return nil
}

// receiverCount takes "(42105 0.70)".
func (c *cursor) receiverCount() uint64 {
	c.Expect("(")
	n := c.Number(math.MaxUint64)
	c.Expect(" ")
	c.Until(")")
	c.End()
	return n
}

// spelling takes the first n bytes as a type.
func (p *textParser) spelling(c *cursor, n int) typeID {
	if !c.OK() || n <= 0 {
		c.Miss("a type")
		return 0
	}
	text := c.Rest()[:n]
	if id, ok := p.dump.types.ids[string(text)]; ok {
		c.Take(n)
		return id
	}
	if name, ok := names.FromPrinted(string(text)); !ok || names.Element(name) == "" || bytes.IndexByte(text, 0) >= 0 {
		c.Miss("a type like 'java/lang/String', 'java/lang/String'[] or {type array int}")
		return 0
	}
	return p.dump.types.intern(c.Take(n))
}

const (
	argumentTypes  = "argument types"
	returnType     = "return type"
	parameterTypes = "parameter types"
	nullSeenSuffix = " (null seen)"
	noType         = "none"
	unknownType    = "unknown"
)

// listName is the front of the line on which a type list begins.
func listName(column int, name string) string {
	return fmt.Sprintf("%*s%-*s", column, "", columnBody-column, name)
}

var (
	argumentsLine = listName(columnKind, argumentTypes)
	returnLine    = listName(columnKind, returnType)
)

// types reads the types of a call. An entry that has some is of another kind
// than the one it prints.
func (p *textParser) types(e *textEntry) (err error) {
	if p.beginsWith(argumentsLine) {
		if e.types.args, err = p.slots(argumentsLine); err != nil {
			return err
		}
	}
	if p.beginsWith(returnLine) {
		e.types.result = new(textWord)
		err = p.line(func(c *cursor) {
			c.Expect(returnLine)
			*e.types.result = p.word(c)
		})
	}
	switch {
	case e.types.none():
	case e.tag == layout.TagCounter:
		e.tag = layout.TagCallType
	default:
		e.tag = layout.TagVirtualCallType
	}
	return err
}

// parametersLines are the fronts of the line on which the parameters begin.
var parametersLines = [...]string{
	JDK17: listName(2, parameterTypes),
	JDK25: fmt.Sprintf("  %-15s%-*s", "bci: 0 ", columnBody-columnKind-1, "ParametersTypeData"),
}

// parameters reads the types of the method's parameters, if there are any. In
// JDK 25 an empty line follows.
func (p *textParser) parameters(m *textMethod) (err error) {
	for d, front := range parametersLines {
		if !p.beginsWith(front) {
			continue
		}
		p.noteDialect(Dialect(d))
		p.report.Entries++
		m.parameters, err = p.slots(front)
		if err == nil && Dialect(d) == JDK25 {
			err = p.line((*cursor).End)
		}
		return err
	}
	return nil
}

// noteDialect notes the dialect of the first line that shows it.
func (p *textParser) noteDialect(d Dialect) {
	if p.report.Entries == 0 {
		p.dump.dialect = d
	}
}

// slots reads a list of types: the first on the line that begins with name, the
// others on lines of their own.
func (p *textParser) slots(name string) (slots []textSlot, err error) {
	for front := name; err == nil && p.beginsWith(front+slotName(len(slots))); front = indent {
		err = p.line(func(c *cursor) {
			c.Expect(front + slotName(len(slots)))
			s := textSlot{stack: c.Number(math.MaxUint32)}
			c.Expect(") ")
			s.word = p.word(c)
			slots = append(slots, s)
		})
	}
	if err == nil && len(slots) == 0 {
		return nil, p.line(func(c *cursor) { c.Expect(name + slotName(0)) })
	}
	return slots, err
}

func slotName(i int) string { return fmt.Sprintf("%d: stack(", i) }

// word takes a type up to the end of the line.
func (p *textParser) word(c *cursor) (w textWord) {
	if !c.OK() {
		return w
	}
	text, nullSeen := bytes.CutSuffix(bytes.TrimRight(c.Rest(), " "), []byte(nullSeenSuffix))
	w.nullSeen = nullSeen
	switch string(text) {
	case noType:
	case unknownType:
		w.unknown = true
	default:
		w.typ = p.spelling(c, len(text))
	}
	return w
}
