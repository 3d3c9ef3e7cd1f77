// Package formats converts between archives and the profiles of other tools.
//
// [Import] detects the format of inputs by their content, also if they are compressed with gzip or zstd, and puts them
// into a builder. [Export] writes an archive in the format of an exporter:
//
//	in, err := formats.Import(ctx, formats.Files("run1.profraw", "run2.profraw"), formats.ImportOptions{})
//	...
//	_, err = in.Builder.Commit(ctx, "app.parc")
//	...
//	lost, err := formats.Export(ctx, w, store, &formats.ProfdataExporter{Version: 12})
//
// An importer or exporter is a struct. Its fields are the options of the format, such as &[LLVMImporter]{Release: 22}
// in [ImportOptions].Importers. Commands and servers that learn options at run time find them by name in
// [codec.Format].Options.
//
// Losses of a conversion are counted; see [codec.Losses].
//
// # Formats
//
//	name        folder             in   out  contents
//	llvm        llvm               yes       .profraw, .profdata and .proftext of LLVM
//	profdata    llvm                    yes  LLVM's indexed profiles
//	proftext    llvm                    yes  LLVM's text
//	llvm-sample llvm/sample        yes       LLVM's sample profiles in all forms
//	llvm-sample-text llvm/sample        yes  LLVM's sample profiles as text
//	llvm-sample-binary llvm/sample      yes  LLVM's sample profiles in binary form
//	llvm-sample-extbinary llvm/sample   yes  LLVM's sample profiles in extensible binary form
//	gcc-autofdo llvm/sample             yes  files of gcc's -fauto-profile, which llvm-sample reads
//	methoddata  hotspot            yes  yes  the text of HotSpot's -XX:+PrintMethodData
//	replay      replay             yes       replay files of HotSpot's compilers
//	iprof       iprof              yes  yes  profiles of GraalVM native images
//	jamaica     jamaica            yes  yes  profiles of JamaicaVMs
//	text        text               yes  yes  all of an archive as text, for review
//	json        jsondump                yes  all of an archive as JSON
//	folded      stacks             yes  yes  sampled stacks for flame graphs
//	perf        stacks/perf        yes       output of Linux's perf script
//	preprofile  stacks/pprof/gopgo yes       text of go tool preprofile
//	pprof       stacks/pprof       yes  yes  CPU profiles of Go and others; counters, out
//	gopgo       stacks/pprof/gopgo      yes  CPU profiles for go build -pgo
//	lcov        stacks/lcov             yes  call counts for lcov and genhtml
//
// # Adding a format
//
// A format is one folder of internal/formats and one line of the registry (formats.go):
//
//  1. Write functions that parse the input and call the builder, or that write the output. Their errors
//     have a line and column of the input. Package internal/formats/parse has lines, a cursor,
//     such errors, and limits. With it, a reader of lines takes 20 lines.
//  2. In the file codec.go of the folder, declare type Importer, type Exporter or
//     both. The example of package codec is a whole importer. Their exported
//     fields are the options. Format returns the name and the options that a
//     user can set by name. A type with options gets an alias in formats.go.
//  3. Importer.Detect must refuse input that may be of another format, because importers are
//     asked in the order of the registry. Importer.Import fills a builder for the
//     input's dump and returns it in the Dumps of its report.
//  4. Count data that the archive or the format cannot hold in a list of losses, with
//     a constant for each kind.
//  5. Add the line to Importers or Exporters, and a row to the table above and to
//     README.md; tests compare them. Flags and help of the command come
//     from Format, so that nothing else has to change.
//  6. Test the parser with real files of the tool in testdata, with a fuzz target,
//     and with an export of the imported input. The export must equal the input, byte for byte
//     unless data is lost.
//
// # Trust
//
// Neither inputs nor archives are trusted. Importers check all sizes in an input against the bytes that they have read,
// and use memory in proportion to these bytes. [ImportOptions].MaxExpansion limits the size of a decompressed input.
package formats
