package iprof

import (
	"bytes"
	"strings"
)

// Detect reports whether a file that begins with head is probably a profile. After unknown keys, types and methods
// alone do not identify one.
func Detect(head []byte) bool {
	s := scanner{buf: append(head[:len(head):len(head)], 0), end: len(head)}
	if !s.readToken('{') {
		return false
	}
	for others := false; ; {
		from := s.pos
		key, ok := s.readMemberKey()
		if !ok {
			return !others && cutInKey(bytes.TrimSpace(head[from:]))
		}
		kind := kindOf[string(key)]
		if kind >= calls || oldKeys[string(key)] != foreign || kind > version && !others {
			return true
		}
		others = others || kind == foreign
		if !s.skipValue() || !s.readToken(',') {
			return s.pos == s.end && kind == version
		}
	}
}

// cutInKey reports whether the rest of a head is a prefix of a profile's key.
func cutInKey(rest []byte) bool {
	for key := range kindOf {
		if strings.HasPrefix(`"`+key+`":`, string(rest)) {
			return true
		}
	}
	return false
}
