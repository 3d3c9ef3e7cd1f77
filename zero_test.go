package profarc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/relocate"
	"github.com/profarc/profarc/verify"
)

// apiFunctions lists the functions of the stable packages.
var apiFunctions = []any{
	profarc.AnonymousKey, profarc.CodeID, profarc.Start, profarc.StartIn, layout.TypeID, archive.FromBytes,
	archive.Open, archive.OpenFS, archive.OpenRanges, archive.OpenReaderAt, archive.SumContent, reader.New,
	reader.NewLayers, reader.Open, reader.OpenLayers, builder.ConfigOf, builder.HotSpotParams, builder.New,
	relocate.NewCollector, relocate.Open, merge.CopyLayers, merge.Files, merge.Flatten, merge.Into,
	merge.KeepNewest, merge.NarrowRows, merge.Snapshot, merge.Superseded, verify.Pages, verify.Store,
	formats.Detect, formats.Export, formats.Exporters, formats.Files, formats.Import, formats.Importers,
}

// apiTypes has a pointer to a zero value of each type of the stable packages.
var apiTypes = []any{
	new(profarc.Advice), new(profarc.Function), new(profarc.Receivers), new(profarc.Run), new(profarc.Type),
	new(profarc.VM), new(profarc.Word), new(layout.BaseArchive), new(layout.CellKind), new(layout.CellShape),
	new(layout.ClassPathEntry), new(layout.Content), new(layout.ContentKind), new(layout.CountUnit),
	new(layout.Counts), new(layout.Domain), new(layout.EntryFlags), new(layout.EntryShape),
	new(layout.EntryTraps), new(layout.Error), new(layout.Exit), new(layout.Header), new(layout.Key),
	new(layout.MethodFlags), new(layout.Params), new(layout.Process), new(layout.Provenance), new(layout.Ref),
	new(layout.Region), new(layout.Span), new(layout.Sub), new(layout.Summary), new(layout.Tag),
	new(layout.TypeFlags), new(layout.Weight), new(archive.Expect), new(archive.Mapping), new(archive.Options),
	new(archive.Program), new(reader.AdoptOptions), new(reader.Adoption), new(reader.BaseError),
	new(reader.Binding), new(reader.Branch), new(reader.Context), new(reader.Counter), new(reader.Entry),
	new(reader.Frame), new(reader.Layers), new(reader.Method), new(reader.Name), new(reader.Profile),
	new(reader.Receiver), new(reader.Receivers), new(reader.Rows), new(reader.Store), new(reader.Table),
	new(reader.Type), new(reader.TypeList), new(reader.TypeWord), new(builder.At), new(builder.Branch),
	new(builder.Builder), new(builder.CallTypes), new(builder.Callee), new(builder.Config),
	new(builder.ContextRef), new(builder.Count), new(builder.Custom), new(builder.Frame),
	new(builder.MethodRef), new(builder.Others), new(builder.Profile), new(builder.Receivers),
	new(builder.Report), new(builder.RetRow), new(builder.Row), new(builder.Slot), new(builder.Successor),
	new(builder.SwitchCase), new(builder.TypeKey), new(builder.TypeRef), new(builder.TypeWord),
	new(builder.Value), new(relocate.Collector), new(relocate.Map), new(relocate.Move), new(relocate.Source),
	new(merge.Counted), new(merge.Counts), new(merge.Dropped), new(merge.DroppedRow), new(merge.LostProfile),
	new(merge.Narrowing), new(merge.Run), new(verify.Report), new(formats.GoPGOExporter),
	new(formats.ImportOptions), new(formats.Imported), new(formats.ImportedInput), new(formats.Input),
	new(formats.InputError), new(formats.IprofExporter), new(formats.IprofImporter),
	new(formats.JamaicaImporter), new(formats.LLVMImporter), new(formats.LcovExporter),
	new(formats.OptionError), new(formats.PprofImporter), new(formats.ProfdataExporter),
	new(formats.ProftextExporter),
}

// allowedPanics gives the reason why a function, or the methods of a type whose name ends in a dot, may panic.
var allowedPanics = map[string]string{
	"archive.OpenFS":   "a nil file system, as in fs.ReadFile",
	"builder.ConfigOf": "a nil header",
	"reader.New":       "a nil Mapping",
	"relocate.Open":    "a nil source",
	"formats.Export":   "a nil exporter",
	"verify.Pages":     "a nil Store",
	"verify.Store":     "a nil Store",

	"merge.CopyLayers":       "a nil Builder",
	"merge.Flatten":          "a nil Builder",
	"merge.Into":             "a nil Builder",
	"merge.KeepNewest":       "a nil Builder",
	"merge.NarrowRows":       "a nil Builder",
	"merge.Snapshot":         "a nil Builder",
	"merge.Counted.Snapshot": "a nil Builder",
	"archive.Mapping.Guard":  "a nil function, as in sync.Once.Do",

	"reader.Store.":       "Open and New make a Store; a test for others would slow each hit",
	"builder.Builder.":    "New makes a Builder for a domain",
	"builder.Profile.":    "Builder.Profile makes a Profile",
	"profarc.Function.":   "Run.Function makes a Function; a test for others would slow each count",
	"profarc.Receivers.":  "Function.Receivers makes Receivers; a test for others would slow each arrival",
	"profarc.Run.":        "Start and StartIn make a Run, even if they fail",
	"relocate.Collector.": "NewCollector takes the size of the region; an answer for a zero Collector would lose slots",

	"reader.Entry.Bytes":      "an Entry of no file",
	"reader.Entry.Flags":      "an Entry of no file",
	"reader.Entry.Point":      "an Entry of no file",
	"reader.Entry.Sub":        "an Entry of no file",
	"reader.Entry.Traps":      "an Entry of no file",
	"reader.Entry.Cell":       "an index out of range",
	"reader.Entry.MethodCell": "an index out of range",
	"reader.Entry.TypeCell":   "an index out of range",
	"reader.Receivers.Cells":  "an index out of range",
	"reader.Receivers.Other":  "an index out of range, because the count is a cell",
	"reader.Rows.Cell":        "an index out of range",
	"reader.Rows.Head":        "an index out of range",
	"reader.Rows.Method":      "an index out of range",
	"reader.Table.Cell":       "an index out of range",
	"reader.Table.Column":     "an index out of range",
	"reader.Table.Text":       "an index out of range",
	"reader.TypeList.Arg":     "an index out of range",

	"gopgo.Exporter.":       "a nil Store",
	"iprof.Exporter.":       "a nil Store",
	"lcov.Exporter.":        "a nil Store",
	"llvm.IndexedExporter.": "a nil Store",
	"llvm.TextExporter.":    "a nil Store",
	"iprof.Importer.":       "a nil reader",
	"jamaica.Importer.":     "a nil reader",
	"llvm.Importer.":        "a nil reader",
	"pprof.Importer.":       "a nil reader",
}

// TestZeroValuesReturnErrors calls each function and method of the stable packages with zero values. A caller that
// forgot to open or fill something gets an error or an empty answer.
func TestZeroValuesReturnErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	panicked := map[string]bool{}
	call := func(name string, f reflect.Value) {
		if p := callWithZeros(f); p != nil {
			rule := name
			if allowedPanics[rule] == "" {
				rule = name[:strings.LastIndex(name, ".")+1]
			}
			panicked[rule] = true
			if allowedPanics[rule] == "" {
				t.Errorf("%s with zero values panics: %v", name, p)
			}
		}
	}
	for _, f := range apiFunctions {
		call(functionName(f), reflect.ValueOf(f))
	}
	for _, pointer := range apiTypes {
		v := reflect.ValueOf(pointer)
		for i := range v.NumMethod() {
			zero := reflect.New(v.Type().Elem())
			call(v.Type().Elem().String()+"."+v.Type().Method(i).Name, zero.Method(i))
		}
	}
	for name := range allowedPanics {
		if !panicked[name] {
			t.Errorf("%s: nothing panics: remove it from allowedPanics", name)
		}
	}
}

// callWithZeros calls f with zero arguments and reads the sequences that it returns. It returns the value of a panic.
func callWithZeros(f reflect.Value) (panicked any) {
	defer func() { panicked = recover() }()
	args := make([]reflect.Value, f.Type().NumIn())
	for i := range args {
		args[i] = reflect.Zero(f.Type().In(i))
	}
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	for _, result := range call(args) {
		switch {
		case result.Type().CanSeq():
			if result.Kind() == reflect.Func {
				for range result.Seq() {
				}
			}
		case result.Type().CanSeq2():
			for range result.Seq2() {
			}
		}
	}
	return nil
}

// functionName returns the name of f with its package.
func functionName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndex(name, "/")+1:]
}

// TestZeroValuesAreOfAllNames compares apiFunctions and apiTypes with the declarations of the stable packages.
func TestZeroValuesAreOfAllNames(t *testing.T) {
	source, err := os.ReadFile("zero_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range strings.Fields(". layout archive reader builder relocate merge verify formats") {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, name := range apiNames(f) {
				if !regexp.MustCompile(`[\t (]` + regexp.QuoteMeta(name) + `[,)]`).Match(source) {
					t.Errorf("%s is in neither apiFunctions nor apiTypes", name)
				}
			}
		}
	}
}

// apiNames returns the exported functions and types of a file, each with its package.
func apiNames(f *ast.File) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, f.Name.Name+"."+id.Name)
		}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					add(s.Name)
				}
			}
		}
	}
	return names
}
