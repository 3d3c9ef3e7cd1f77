package convert

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/llvm"
	"github.com/profarc/profarc/reader"
)

// llvmExportOptions are what llvm-profdata merge takes too, but for the version.
type llvmExportOptions struct {
	version     int
	keepVTables bool
	sparse      bool
}

func (o *llvmExportOptions) addTo(f *pflag.FlagSet) {
	f.IntVar(&o.version, "profdata-version", 0, "profdata: version of the format, 4 to 13 (without it: 7 for IR, which every LLVM from 12 on reads; of a front end that of the LLVM that made it)")
	f.BoolVar(&o.keepVTables, "keep-vtable-symbols", false, "profdata, proftext: keep the names of vtables")
	f.BoolVar(&o.sparse, "sparse", false, "profdata, proftext: leave functions out that never ran")
}

func (o *llvmExportOptions) write() llvm.WriteOptions {
	return llvm.WriteOptions{Version: o.version, Sparse: o.sparse, KeepVTableNames: o.keepVTables}
}

func writeProfdata(w io.Writer, s *reader.Store, o exportOptions) ([]app.Loss, error) {
	if v := o.llvm.version; v != 0 && (v < llvm.WrittenOldest || v > llvm.WrittenNewest) {
		return nil, app.Usagef("--profdata-version %d: use %d to %d", v, llvm.WrittenOldest, llvm.WrittenNewest)
	}
	r, err := llvm.WriteIndexed(w, s, o.llvm.write())
	if err != nil {
		return nil, err
	}
	return app.LossesOf(r.Lost), nil
}

func writeProftext(w io.Writer, s *reader.Store, o exportOptions) ([]app.Loss, error) {
	r, err := llvm.WriteText(w, s, o.llvm.write())
	if err != nil {
		return nil, err
	}
	return app.LossesOf(r.Lost), nil
}
