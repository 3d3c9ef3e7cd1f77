// Package parse helps to write importers of text formats. [Lines] splits an input into lines of bounded length. A
// [Cursor] parses one line. An [Error] has the position of a defect, the expected text and the actual text. The
// constants Max... are limits of all importers.
//
// An importer's main loop:
//
//	lines := parse.NewLines(r, name)
//	for {
//		line, err := lines.Next()
//		if err == io.EOF {
//			break
//		}
//		if err != nil {
//			return err // error of r, or an *Error for a long line
//		}
//		c := parse.Cursor{Line: line}
//		c.Expect("count ")
//		n := c.Number(math.MaxUint32)
//		if c.End(); !c.OK() {
//			return lines.Missing(&c, ErrSyntax)
//		}
//	}
//
// Inputs are not trusted. Memory is proportional to the bytes read, since no buffer is allocated for a length that
// an input declares. Malformed input causes an error, not a panic.
package parse
