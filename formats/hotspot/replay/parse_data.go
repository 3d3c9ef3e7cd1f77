package replay

import "math"

// methodData reads a ciMethodData line.
func (p *parser) methodData(c *cursor) {
	d := methodData{methodKey: c.method(), place: c.place}
	d.state = c.number(0, 2, "the state of a MethodData, 0 to 2")
	d.invocations = c.int32("a number of invocations")
	c.keyword("orig")
	for range c.length("bytes of the header") {
		if !c.OK() {
			return
		}
		d.header = append(d.header, byte(c.number(0, math.MaxUint8, "a byte")))
	}
	c.keyword("data")
	for range c.length("words of data") {
		if !c.OK() {
			return
		}
		d.words = append(d.words, c.cell())
	}
	d.references(c)
	p.data = append(p.data, d)
}

// references reads which words point where.
func (d *methodData) references(c *cursor) {
	d.klasses, d.methods = map[int]string{}, map[int]methodKey{}
	c.keyword("oops")
	for range c.length("classes") {
		if at := d.index(c); c.OK() {
			d.klasses[at] = c.klass()
		}
	}
	c.keyword("methods")
	for range c.length("methods") {
		if at := d.index(c); c.OK() {
			d.methods[at] = c.method()
		}
	}
}

// index reads the index of a word that no other reference has.
func (d *methodData) index(c *cursor) int {
	const expected = "the index of a word of data, each once"
	c.Spaces()
	at := c.At
	n := int(c.number(0, int64(len(d.words))-1, expected))
	_, klass := d.klasses[n]
	_, method := d.methods[n]
	if klass || method {
		c.MissAt(at, expected)
	}
	return n
}

// compilation reads the compile line, the last of a file.
func (p *parser) compilation(c *cursor) {
	k := &p.compile
	k.methodKey = c.method()
	k.bci = c.number(-1, math.MaxUint16, "a bci, or -1")
	k.level = c.number(0, 4, "a level of compilation, 0 to 4")
	p.finished = true
	if c.Spaces(); len(c.Rest()) == 0 {
		return
	}
	c.keyword("inline")
	k.inlined = true
	for range c.length("inlined methods") {
		if !c.OK() {
			return
		}
		i := inlining{depth: c.number(0, math.MaxInt32, "a depth"), bci: c.number(-1, math.MaxUint16, "a bci, or -1")}
		if p.version >= 2 {
			i.late = c.flag()
		}
		i.methodKey = c.method()
		k.inlines = append(k.inlines, i)
	}
}
