package iprof

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// How names of a file become parts of keys.
//
// A name is its own key, but for the few that an archive cannot hold or that
// would look like something else: those are quoted, which is a backslash and
// the name with \\ for a backslash, \u0000 for a NUL and \ud800 for half of a
// surrogate pair. An id that the file says nothing of is a question mark and
// the id. Of several types of one name, or methods of one key, all but the
// first get a number: "#2".
const (
	quoteMark  = '\\'
	idMark     = '?'
	numberMark = '#'
)

// quoteName is the key's spelling of a name, which may hold halves of surrogate
// pairs.
func quoteName(name string) string {
	if name == "" || name[0] != quoteMark && name[0] != idMark && strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) {
		return name
	}
	b := []byte{quoteMark}
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			half := rune(name[i]&0x0f)<<12 | rune(name[i+1]&0x3f)<<6 | rune(name[i+2]&0x3f)
			b = fmt.Appendf(b, `\u%04x`, half)
			n = 3
		case r == 0:
			b = append(b, `\u0000`...)
		case r == quoteMark:
			b = append(b, `\\`...)
		default:
			b = append(b, name[i:i+n]...)
		}
		i += n
	}
	return string(b)
}

// unquoteName appends the name of a key's spelling.
func unquoteName(b []byte, spelled []byte) []byte {
	if len(spelled) == 0 || spelled[0] != quoteMark {
		return append(b, spelled...)
	}
	for i := 1; i < len(spelled); i++ {
		rest := spelled[i:]
		switch {
		case rest[0] != quoteMark || len(rest) < 2:
			b = append(b, rest[0])
		case rest[1] == 'u' && len(rest) >= 6:
			r := unit(rest[2:])
			if utf16.IsSurrogate(r) || r == 0 {
				b = appendUnit(b, r)
			}
			i += 5
		default:
			b = append(b, rest[1])
			i++
		}
	}
	return b
}

// idName is the name of an id that the file says nothing of.
func idName(id int64) string { return string(idMark) + strconv.FormatInt(id, 10) }

// nameID is the id that a name stands for.
func nameID(name string) (id int64, ok bool) {
	if len(name) < 2 || name[0] != idMark {
		return 0, false
	}
	id, err := strconv.ParseInt(name[1:], 10, 64)
	return id, err == nil && idName(id) == name
}

// numbered is the mark of the n-th of one key.
func numbered(n int) string { return string(numberMark) + strconv.Itoa(n) }
