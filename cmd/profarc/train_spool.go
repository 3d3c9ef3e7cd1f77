package main

import (
	"context"
	"io"
	"os"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
)

// A spool is an archive that waits until the command has ended: only then is it
// known whether it may take the place of an earlier one, and under which name. It
// is in a file that has no name any more, so that nothing is left of it however
// this process ends.
type spool struct {
	file   *os.File
	report builder.Report
}

// newSpool lays an archive out in a file in a folder.
func newSpool(b *builder.Builder, folder string) (*spool, error) {
	data, report, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, ".profarc-spool-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, err
	}
	return &spool{f, report}, nil
}

// publish gives the archive its name.
func (s *spool) publish(ctx context.Context, path string) error {
	return archive.Publish(ctx, path, func(f *archive.File) error {
		_, err := io.Copy(io.NewOffsetWriter(f, 0), io.NewSectionReader(s.file, 0, s.report.Bytes))
		return err
	})
}

func (s *spool) close() { s.file.Close() }
