package formats_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Two runs of a program, as llvm-profdata merge --text prints them: the name, hash
// and counters of each function.
const (
	firstRun  = ":ir\nmain\n17\n2\n100\n7\n"
	secondRun = ":ir\nmain\n17\n2\n20\n1\n\nexit\n18\n1\n1\n"
)

// A program imports two profiles, the second with three times the weight, checks the archive and exports it.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	first, second, app := filepath.Join(dir, "1.profdata"), filepath.Join(dir, "2.profdata"),
		filepath.Join(dir, "app.parc")
	writeProfdata(first, firstRun)
	writeProfdata(second, secondRun)

	ctx := context.Background()
	in, err := formats.Import(ctx, []formats.Input{{Name: first}, {Name: second, Weight: 3 * layout.WeightOne}},
		formats.ImportOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := in.Builder.Commit(ctx, app); err != nil {
		log.Fatal(err)
	}
	store, err := reader.Open(app, archive.Options{CheckAll: true})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	lost, err := formats.Export(ctx, os.Stdout, store, &formats.ProftextExporter{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(in.Inputs), "inputs of format", in.Format, "with", len(lost), "losses")
	// Output:
	// # IR level Instrumentation Flag
	// :ir
	// exit
	// # Func Hash:
	// 18
	// # Num Counters:
	// 1
	// # Counter Values:
	// 3
	//
	// main
	// # Func Hash:
	// 17
	// # Num Counters:
	// 2
	// # Counter Values:
	// 160
	// 10
	//
	// 2 inputs of format llvm with 0 losses
}

// writeProfdata writes LLVM's text as an indexed profile.
func writeProfdata(path, text string) {
	ctx := context.Background()
	in, err := formats.Import(ctx, []formats.Input{{Name: "text", Reader: strings.NewReader(text)}},
		formats.ImportOptions{})
	if err != nil {
		log.Fatal(err)
	}
	store, err := in.Builder.Open("memory")
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	f, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := formats.Export(ctx, f, store, &formats.ProfdataExporter{Version: 12}); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// An importer with options takes the place of the one without.
func ExampleImport_options() {
	in, err := formats.Import(context.Background(), []formats.Input{{Name: "text", Reader: strings.NewReader(firstRun)}},
		formats.ImportOptions{Importers: []codec.Importer{&formats.LLVMImporter{Release: 22}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(in.Methods, "function, of version", in.Inputs[0].Facts["llvm_version"])
	// Output: 1 function, of version 13
}

func ExampleDetect() {
	i, err := formats.Detect(context.Background(), formats.Input{Name: "text", Reader: strings.NewReader(firstRun)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(i.Format().Name)
	_, err = formats.Detect(context.Background(), formats.Input{Name: "app", Reader: strings.NewReader("\x7fELF")})
	fmt.Println(err)
	// Output:
	// llvm
	// app: it is a program: name the profile that it wrote
}

// Options can be set by name, as commands do.
func ExampleExporters() {
	for _, e := range formats.Exporters() {
		if e.Format().Name != "profdata" {
			continue
		}
		for _, o := range e.Format().Options {
			var err error
			if o.Name == "sparse" {
				err = o.Value.Set("true")
			}
			fmt.Println(o.Name, o.Value, err)
		}
	}
	// Output:
	// profdata-version 0 <nil>
	// sparse true <nil>
	// keep-vtable-symbols false <nil>
}
