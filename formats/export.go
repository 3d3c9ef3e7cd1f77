package formats

import (
	"context"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// Export writes the profiles of an archive in the format of an exporter, whose fields are the options of the format:
//
//	lost, err := formats.Export(ctx, w, store, &formats.ProfdataExporter{Version: 12})
//
// It returns the information that the format cannot express, as a list that is never nil. The error is an
// [*OptionError] if an option is invalid. Errors of the archive match the errors of package layout.
func Export(ctx context.Context, w io.Writer, s *reader.Store, e codec.Exporter) (codec.Losses, error) {
	if err := checkOptions(e.Format().Options); err != nil {
		return nil, err
	}
	lost := codec.Losses{}
	err := s.Mapping().Guard(func() error {
		l, err := e.Export(ctxWriter{ctx, w}, s)
		lost = append(lost, l...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// A ctxWriter fails writes after ctx has ended.
type ctxWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w ctxWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(b)
}
