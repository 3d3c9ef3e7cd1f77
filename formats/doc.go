// Package formats converts between archives and the profiles of other tools.
//
// [Import] detects the format of inputs by their content, also if they are compressed with gzip or zstd, and
// puts them into a builder. [Export] writes an archive in the format of an exporter:
//
//	in, err := formats.Import(ctx, formats.Files("run1.profraw", "run2.profraw"), formats.ImportOptions{})
//	...
//	_, err = in.Builder.Commit(ctx, "app.parc")
//	...
//	lost, err := formats.Export(ctx, w, store, &formats.ProfdataExporter{Version: 12})
//
// An importer or exporter is a struct. Its fields are the options of the format, such as
// &[LLVMImporter]{Release: 22} in [ImportOptions].Importers. Commands and servers that learn
// options at run time find them by name in [codec.Format].Options.
//
// Losses of a conversion are counted; see [codec.Losses].
//
// # Formats
//
//	name        folder            in   out  contents
//	llvm        llvm              yes       .profraw, .profdata and .proftext of LLVM
//	profdata    llvm                   yes  LLVM's indexed profiles
//	proftext    llvm                   yes  LLVM's text
//	methoddata  hotspot           yes  yes  the text of HotSpot's -XX:+PrintMethodData
//	iprof       iprof             yes  yes  profiles of GraalVM native images
//	jamaica     jamaica           yes  yes  profiles of JamaicaVMs
//	text        text              yes  yes  all of an archive as text, for review
//	json        jsondump               yes  all of an archive as JSON
//	folded      stacks            yes  yes  sampled stacks for flame graphs
//	perf        stacks/perf       yes       what Linux's perf script prints
//	pprof       stacks/pprof      yes  yes  CPU profiles of Go and others; counters, out
//	gopgo       stacks/pprof/gopgo     yes  what go build -pgo reads of a CPU profile
//	lcov        stacks/lcov            yes  call counts for lcov and genhtml
//
// # Adding a format
//
// A format is one folder of internal/formats and one line of the registry (formats.go):
//
//  1. Write the parser and the calls of the builder, or the writer, as functions
//     that return errors with a line and column of the input. Package internal/formats/parse has
//     lines, a cursor, such errors and limits; a reader of lines takes 20 lines.
//  2. In the file codec.go of the folder, declare type Importer, type Exporter or
//     both; the example of package codec is a whole importer. Their exported
//     fields are the options; Format names the format, and declares the options that a
//     user may set by name. A type with options gets an alias in options.go.
//  3. Importer.Detect must refuse input that may be of another format: importers are
//     asked in the order of the registry. Importer.Import fills a builder for the
//     dump that the input holds and returns it in the Dumps of its report.
//  4. Count what the archive or the format cannot hold in a list of losses, with
//     a constant for each kind.
//  5. Add the line to Importers or Exporters, and a row to the table above and to
//     README.md; tests compare them. Flags and help of the command come
//     from Format, so that nothing else has to change.
//  6. Test the parser with real files of the tool in testdata, with a fuzz target,
//     and with an export that is the imported input again, byte for byte where
//     nothing is lost.
//
// # Trust
//
// Neither inputs nor archives are trusted. What an input claims is checked against what was read, memory
// grows with what was read, and a decompressed input may be longer than its compressed form only within
// [ImportOptions].MaxExpansion.
package formats
