package iprof

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Spelling of names in keys.
//
// Most names stay unchanged. Names that an archive cannot hold, and ambiguous names, get a backslash in front and
// are quoted with \\ for a backslash, \u0000 for NUL and \ud800 for a lone surrogate. An id without a row is a
// question mark and the id. Types with the same name, and methods with the same key, get a number after the first,
// for example "#2".
const (
	quoteMark  = '\\'
	idMark     = '?'
	numberMark = '#'
)

// quoteName returns the spelling of a name in keys. The name can contain lone surrogates.
func quoteName(name string) string {
	if name == "" || name[0] != quoteMark && name[0] != idMark && strings.IndexByte(name, 0) < 0 &&
		utf8.ValidString(name) {
		return name
	}
	b := []byte{quoteMark}
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = fmt.Appendf(b, `\u%04x`, threeByteRune(name[i:]))
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

// unquoteName appends the name that quoteName spelled.
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
			r := codeUnit(rest[2:])
			if utf16.IsSurrogate(r) || r == 0 {
				b = appendCodeUnit(b, r)
			}
			i += 5
		default:
			b = append(b, rest[1])
			i++
		}
	}
	return b
}

// formatIDName returns the name of an id without a row.
func formatIDName(id int64) string { return string(idMark) + strconv.FormatInt(id, 10) }

// parseIDName is the inverse of formatIDName.
func parseIDName(name string) (id int64, ok bool) {
	if len(name) < 2 || name[0] != idMark {
		return 0, false
	}
	id, err := strconv.ParseInt(name[1:], 10, 64)
	return id, err == nil && formatIDName(id) == name
}

func duplicateMark(n int) string { return string(numberMark) + strconv.Itoa(n) }

// A signature is spelled "void(int,java.lang.String)", with the return type first. In type names a backslash escapes
// each of \ , ( ) #. A type without a name is "\-". A method without a return type has the signature "". If the
// declaring type has no name, the signature starts with "\-.", or with "\-#2." for the second such type.

const (
	noName    = `\-`
	noNameEnd = "." // follows a declaring type without a name
	reserved  = `\,()#`
)

func signatureName(name, number string) string {
	if name == "" {
		return noName + number
	}
	if !strings.ContainsAny(name, reserved) {
		return name + number
	}
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(reserved, name[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(name[i])
	}
	return b.String() + number
}

// splitSignature appends the type names of a signature as spelled, return type first. ok is false for an invalid
// signature.
func splitSignature(names []string, signature string) (all []string, ok bool) {
	start, inside := 0, false
	for i := 0; i < len(signature); i++ {
		switch c := signature[i]; c {
		case '\\':
			i++
		case '(':
			if inside {
				return names, false
			}
			names = append(names, signature[:i])
			start = i + 1
			inside = true
		case ',', ')':
			if !inside {
				return names, false
			}
			if c == ',' || i > start {
				names = append(names, signature[start:i])
			}
			start = i + 1
			if c == ')' {
				return names, i == len(signature)-1
			}
		}
	}
	return names, signature == ""
}

// cutNoName removes a declaring type without a name from a signature.
func cutNoName(signature string) (class, rest string, ok bool) {
	class, rest, ok = strings.Cut(signature, noNameEnd)
	number, begins := strings.CutPrefix(class, noName)
	if !ok || !begins || strings.Trim(number, "#0123456789") != "" {
		return "", signature, false
	}
	return class, rest, true
}

// cutNumber removes the duplicate mark of a method after its signature.
func cutNumber(signature string) string {
	end := strings.LastIndexByte(signature, ')') + 1
	if end < len(signature) && signature[end] == numberMark {
		return signature[:end]
	}
	return signature
}
