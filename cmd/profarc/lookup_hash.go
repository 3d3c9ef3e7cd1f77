package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/reader"
)

// codeLooker makes a look-up that also looks for the profile of the code that
// --hash names.
func codeLooker(s *reader.Store, text string, o lookupOptions) (func() (reader.Method, error), error) {
	code, err := strconv.ParseUint(strings.TrimPrefix(o.hash, "0x"), 16, 64)
	if err != nil {
		return nil, usagef("--hash %s: a hash has up to 16 hexadecimal digits", o.hash)
	}
	o.hash = ""
	look, err := lookerFor(s, text, o)
	if err != nil {
		return nil, err
	}
	return func() (reader.Method, error) {
		m, err := look()
		if err != nil {
			return m, err
		}
		return m, hasCode(m, code)
	}, nil
}

// hasCode gives an error that matches reader.ErrNotFound if the method has no
// profile of that code. Hash 0, which front ends give to functions without a
// branch, is the reader's word for any code.
func hasCode(m reader.Method, code uint64) error {
	if code != reader.AnyCode {
		_, _, err := m.Profile(code)
		return err
	}
	for p, err := range m.Profiles() {
		if err != nil || p.Code() == code {
			return err
		}
	}
	return reader.ErrNotFound
}

// otherCode gives the method that a key means, if it is there and --hash was
// asked for: then it is the hash that the archive lacks.
func (o *lookupOptions) otherCode(s *reader.Store, key string) (reader.Method, bool) {
	if o.hash == "" {
		return reader.Method{}, false
	}
	plain := *o
	plain.hash = ""
	look, err := lookerFor(s, key, plain)
	if err != nil {
		return reader.Method{}, false
	}
	m, err := look()
	return m, err == nil
}

// hashesText lists the hashes of a method's profiles.
func hashesText(m reader.Method) string {
	var hashes []string
	for p, err := range m.Profiles() {
		if err != nil {
			return fmt.Sprint(err)
		}
		hashes = append(hashes, hashText(p.Code()))
	}
	if len(hashes) == 0 {
		return "none"
	}
	return strings.Join(hashes, ", ")
}
