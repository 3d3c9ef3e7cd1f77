// Package parse is the kit that the readers of text formats are made of. [Lines] splits an input into lines
// of bounded length, a [Cursor] takes one line apart, and an [Error] says where a file is wrong, what was
// expected there and what was found. The constants Max... limit how much of one thing any importer accepts.
//
// The reader of a format looks like this:
//
//	lines := parse.NewLines(r, name)
//	for {
//		line, err := lines.Next()
//		if err == io.EOF {
//			break
//		}
//		if err != nil {
//			return err // of r, or an *Error: the line is too long
//		}
//		c := parse.Cursor{Line: line}
//		c.Expect("count ")
//		n := c.Number(math.MaxUint32)
//		if c.End(); !c.OK() {
//			return lines.Missing(&c, ErrSyntax)
//		}
//	}
//
// Inputs are not trusted. Memory stays a multiple of what was read: nothing makes room for what an input
// announces. Unexpected input ends in an error, never in a panic.
package parse
