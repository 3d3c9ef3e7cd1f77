package runfiles

import (
	"context"
	"io"
	"os"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/publish"
)

// A Spool holds an archive until the command has ended, because the command's exit decides whether and where it is
// published. The file has no name, so it disappears with the process.
type Spool struct {
	file   *os.File
	Report builder.Report
}

func NewSpool(b *builder.Builder, folder string) (*Spool, error) {
	data, report, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	f, err := publish.CreateUnnamed(folder)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, err
	}
	return &Spool{f, report}, nil
}

func (s *Spool) Publish(ctx context.Context, path string) error {
	return publish.At(ctx, path, func(f *publish.File) error {
		_, err := io.Copy(io.NewOffsetWriter(f, 0), io.NewSectionReader(s.file, 0, s.Report.Bytes))
		return err
	})
}

func (s *Spool) Close() { s.file.Close() }
