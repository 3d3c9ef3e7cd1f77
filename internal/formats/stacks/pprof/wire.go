package pprof

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The wire format of protocol buffers, as far as profiles use it: a message is a list of fields, each a key,
// which is the number of the field and the kind of its value, and the value.

// The kinds of values.
const (
	kindVarint  = 0
	kindFixed64 = 1
	kindBytes   = 2
	kindFixed32 = 5
)

// ErrCut: the profile ends in the middle of a field.
var ErrCut = errors.New("it is cut off: copy the profile again")

// ErrSyntax: the bytes are no profile of pprof's.
var ErrSyntax = errors.New("not a profile as pprof's profile.proto defines it")

// A field is one field of a message.
type field struct {
	number uint64
	kind   uint8
	value  uint64 // of a varint or fixed number
	body   []byte // of bytes: text, a message, or packed numbers
}

// nextField cuts the first field off a message.
func nextField(message []byte) (f field, rest []byte, err error) {
	key, n := binary.Uvarint(message)
	if n <= 0 {
		return f, nil, cutVarint(n)
	}
	f.number, f.kind, rest = key>>3, uint8(key&7), message[n:]
	switch f.kind {
	case kindVarint:
		f.value, n = binary.Uvarint(rest)
		if n <= 0 {
			return f, nil, cutVarint(n)
		}
		return f, rest[n:], nil
	case kindBytes:
		size, n := binary.Uvarint(rest)
		if n <= 0 {
			return f, nil, cutVarint(n)
		}
		rest = rest[n:]
		if size > uint64(len(rest)) {
			return f, nil, ErrCut
		}
		f.body = rest[:size]
		return f, rest[size:], nil
	case kindFixed64:
		return fixedField(f, rest, 8)
	case kindFixed32:
		return fixedField(f, rest, 4)
	}
	return f, nil, fmt.Errorf("%w: field %d has a value of kind %d", ErrSyntax, f.number, f.kind)
}

// fixedField takes a number of a fixed size. Profiles have none, but fields that are not known may.
func fixedField(f field, rest []byte, size int) (field, []byte, error) {
	if len(rest) < size {
		return f, nil, ErrCut
	}
	return f, rest[size:], nil
}

// cutVarint returns the error of binary.Uvarint.
func cutVarint(n int) error {
	if n == 0 {
		return ErrCut
	}
	return fmt.Errorf("%w: a number of more than 64 bits", ErrSyntax)
}

// eachField calls yield with the fields of a message.
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

// numbers calls yield with the numbers of a repeated field: one of a varint, all of packed ones.
func (f *field) numbers(yield func(n uint64)) error {
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
