package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/reader"
)

// parseHash reads what --hash names, any code if it was not given.
func parseHash(text string) (uint64, error) {
	if text == "" {
		return reader.AnyCode, nil
	}
	code, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		return 0, app.Usagef("--hash %s: a hash has up to 16 hexadecimal digits", text)
	}
	return code, nil
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

// hashesText says which hashes the profiles of a method have. Only LLVM's hash
// may be 0; elsewhere that is none.
func hashesText(s *reader.Store, m reader.Method) string {
	var hashes []string
	for p, err := range m.Profiles() {
		if err != nil {
			return fmt.Sprint(err)
		}
		h := hashText(p.Code())
		if (p.Code() != 0 || s.Header().Domain.LLVM()) && !slices.Contains(hashes, h) {
			hashes = append(hashes, h)
		}
	}
	if len(hashes) == 0 {
		return "its profiles have no hashes: look it up without --hash"
	}
	return "its hashes are " + strings.Join(hashes, ", ")
}
