package pprof

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Wire types of protocol buffers. A message is a list of fields. A field has a key, which combines the field number and
// the wire type, and a value.
const (
	kindVarint  = 0
	kindFixed64 = 1
	kindBytes   = 2
	kindFixed32 = 5
)

// ErrCut means that the profile is truncated.
var ErrCut = errors.New("it is cut off: copy the profile again")

// ErrConcatenated means that a file has several profiles.
var ErrConcatenated = errors.New("several profiles in one file: split it, or merge them with go tool pprof -proto")

// ErrSyntax means that the profile is malformed.
var ErrSyntax = errors.New("not a profile as pprof's profile.proto defines it")

type field struct {
	number uint64
	kind   uint8  // wire type
	value  uint64 // value of a varint
	body   []byte // string, message, or packed numbers
}

// nextField splits off the first field of a message.
func nextField(message []byte) (f field, rest []byte, err error) {
	key, n := binary.Uvarint(message)
	if n <= 0 {
		return f, nil, varintError(n)
	}
	f.number = key >> 3
	f.kind = uint8(key & 7)
	rest = message[n:]
	switch f.kind {
	case kindVarint:
		f.value, n = binary.Uvarint(rest)
		if n <= 0 {
			return f, nil, varintError(n)
		}
		return f, rest[n:], nil
	case kindBytes:
		size, n := binary.Uvarint(rest)
		if n <= 0 {
			return f, nil, varintError(n)
		}
		rest = rest[n:]
		if size > uint64(len(rest)) {
			return f, nil, ErrCut
		}
		f.body = rest[:size]
		return f, rest[size:], nil
	case kindFixed64:
		return skipFixedField(f, rest, 8)
	case kindFixed32:
		return skipFixedField(f, rest, 4)
	}
	return f, nil, fmt.Errorf("%w: field %d has a value of kind %d", ErrSyntax, f.number, f.kind)
}

// skipFixedField skips a number of fixed size. Only unknown fields of a profile can have one.
func skipFixedField(f field, rest []byte, size int) (field, []byte, error) {
	if len(rest) < size {
		return f, nil, ErrCut
	}
	return f, rest[size:], nil
}

// varintError converts the error result of binary.Uvarint.
func varintError(n int) error {
	if n == 0 {
		return ErrCut
	}
	return fmt.Errorf("%w: a number of more than 64 bits", ErrSyntax)
}

func eachField(message []byte, yield func(f field) error) error {
	for len(message) > 0 {
		f, rest, err := nextField(message)
		if err != nil {
			return err
		}
		if err := yield(f); err != nil {
			return err
		}
		message = rest
	}
	return nil
}

// eachNumber calls yield with the value of a varint, or with all packed numbers.
func (f *field) eachNumber(yield func(n uint64)) error {
	if f.kind == kindVarint {
		yield(f.value)
		return nil
	}
	for b := f.body; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return fmt.Errorf("%w: packed numbers that end in the middle of one", ErrSyntax)
		}
		yield(v)
		b = b[n:]
	}
	return nil
}

// ErrLegacy means that the profile has a format that is older than profile.proto, and is damaged.
var ErrLegacy = errors.New("a profile of a format before profile.proto that cannot be read: take it with a newer runtime")

// validKinds has the set of valid wire types for each field of a profile. Packed numbers have the type bytes.
var validKinds = [...]uint8{
	profileSampleType: 1 << kindBytes, profileSample: 1 << kindBytes, profileMapping: 1 << kindBytes,
	profileLocation: 1 << kindBytes,
	profileFunction: 1 << kindBytes, profileStrings: 1 << kindBytes, profileDropFrames: 1 << kindVarint,
	profileKeepFrames: 1 << kindVarint,
	profileTime:       1 << kindVarint, profileDuration: 1 << kindVarint, profilePeriodType: 1 << kindBytes,
	profilePeriod:  1 << kindVarint,
	profileComment: 1<<kindVarint | 1<<kindBytes, profileDefaultType: 1 << kindVarint, profileDocURL: 1 << kindVarint,
}

// detectProfile reports whether head begins with valid fields of a profile. Since random bytes can look like a field,
// it requires several fields, fewer if one is a sample type.
func detectProfile(head []byte, whole bool) bool {
	fields, types := 0, false
	for len(head) > 0 {
		f, rest, err := nextField(head)
		if err != nil {
			break // cut off by the end of head, or of the file
		}
		if f.number == 0 || f.number >= uint64(len(validKinds)) || validKinds[f.number]>>f.kind&1 == 0 {
			return false
		}
		isMessage := validKinds[f.number] == 1<<kindBytes && f.number != profileStrings
		if isMessage && eachField(f.body, func(field) error { return nil }) != nil {
			return false
		}
		types = types || f.number == profileSampleType && len(f.body) > 0
		if fields++; fields >= 64 {
			break
		}
		head = rest
	}
	return fields >= 4 || types && (whole || fields > 1)
}
