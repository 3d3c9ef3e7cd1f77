package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/formats/iprof"
	"github.com/profarc/profarc/reader"
)

// importFile makes an archive of a profile, of which nothing may get lost.
func importFile(path, out string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b, report, err := iprof.Read(f, iprof.ReadOptions{Name: path})
	if err != nil {
		return err
	}
	if len(report.Lost) > 0 || report.Odd > 0 {
		return fmt.Errorf("%s: %d items are odd, lost are %v", path, report.Odd, report.Lost)
	}
	_, err = b.Commit(context.Background(), out)
	return err
}

// openAndAnswer opens an archive, answers one question, and closes it.
func openAndAnswer(path string, q *question) (uint64, error) {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return 0, err
	}
	count, err := answer(s, q)
	return count, errors.Join(err, s.Close())
}

// answer finds the methods of a question, then the profile in that context.
func answer(s *reader.Store, q *question) (uint64, error) {
	m, err := s.Find(q.frames[0].key)
	if err != nil {
		return 0, err
	}
	frames := make([]reader.Frame, 0, len(q.frames))
	for _, p := range q.frames[1:] {
		caller, err := s.Find(p.key)
		if err != nil {
			return 0, err
		}
		frames = append(frames, reader.Frame{Caller: caller, Point: p.point})
	}
	p, _, err := m.Profile(reader.AnyCode, frames...)
	if err != nil {
		return 0, err
	}
	c, _ := p.Invocations()
	return c.Load(), nil
}
