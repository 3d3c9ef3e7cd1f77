package storewatch

import (
	"fmt"
	"time"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/internal/cli"
	account "github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/reader"
)

// A limitError says which limit leaves an object out.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

func overLimit(format string, args ...any) error { return &limitError{fmt.Sprintf(format, args...)} }

// checkAge returns an error if a dump is too old.
func (m *batch) checkAge(at time.Time) error {
	if most := m.w.o.MaxAge; most > 0 && m.now.Sub(at) > most {
		return m.w.o.overAge()
	}
	return nil
}

func (o *Options) overAge() error {
	return overLimit("it is older than --max-age %gh", o.MaxAge.Hours())
}

func (o *Options) overRecorders() error {
	return overLimit("with it the archive would have more dumps than --max-recorders %d", o.MaxRecorders)
}

func (o *Options) overSize() error {
	return overLimit("with it the archive would have more than --max-size %s", cli.FormatSize(o.MaxArchive))
}

// checkRecordedLimit returns the error of a limit that left the object out before, according to the account of the
// archive, unless the object or the limit changed since. An archive grows, so that the limit still leaves it out. So a
// job that begins anew need not fetch the object again.
func (m *batch) checkRecordedLimit(o blobs.Object) error {
	reason := m.limits[m.w.nameOf(o)]
	if reason == "" {
		return nil
	}
	for _, err := range []error{m.w.o.overAge(), m.w.o.overRecorders(), m.w.o.overSize()} {
		if reason == recordedReason(err.Error(), o) {
			return err
		}
	}
	return nil
}

// recordedReason returns the reason in the account, by which a later job recognizes the object.
func recordedReason(reason string, o blobs.Object) string {
	return fmt.Sprintf("%s (%d bytes of %s)", reason, o.Size, o.Modified.UTC().Format(time.RFC3339Nano))
}

// readLimits returns the reasons of the objects that are left out according to the account of an archive, by name.
func readLimits(s *reader.Store) (reasons map[string]string, err error) {
	of, err := archived.Account(s)
	if err != nil {
		return nil, err
	}
	reasons = map[string]string{}
	for _, in := range of.Inputs {
		if in.State == account.Skipped {
			reasons[in.Name] = in.Reason
		}
	}
	return reasons, nil
}
