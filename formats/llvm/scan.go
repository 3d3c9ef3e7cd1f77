package llvm

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/parse"
)

// A scan is one input being read.
type scan struct {
	*source
	*intake
}

// malformed is the error of something at an offset that cannot be, or of which
// there is too much.
func (s *scan) malformed(offset int64, format string, args ...any) error {
	for _, a := range args {
		var exceeded *parse.LimitError
		if err, ok := a.(error); ok && errors.As(err, &exceeded) {
			return s.fault(exceeded, offset, "")
		}
	}
	return s.fault(ErrMalformed, offset, fmt.Sprintf(format, args...))
}

// cut is the error of an input that has ended within something, or the error of
// its reader.
func (s *scan) cut(within string) error {
	if err := s.failure(); err != nil {
		return err
	}
	s.at = s.end
	return s.fault(ErrCut, s.offset(), "it ends within "+within)
}

func (s *scan) fault(kind error, offset int64, detail string) error {
	return &Error{Name: s.name, Offset: offset, Kind: kind, Detail: detail, After: string(s.last)}
}

// take takes a function that is described at an offset.
func (s *scan) take(f *function, offset int64) error {
	if err := f.possible(); err != nil {
		return s.malformed(offset, "%v", err)
	}
	return s.function(f)
}
