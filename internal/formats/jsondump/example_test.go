package jsondump_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/formats/jsondump"
)

func Example() {
	ctx := context.Background()
	in,
		err := formats.Import(ctx, []formats.Input{{Name: "app.proftext",
		Reader: strings.NewReader(":ir\nmain\n17\n2\n100\n7\n")}}, formats.ImportOptions{})
	if err != nil {
		log.Fatal(err)
	}
	store, err := in.Builder.Open("app.parc")
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	var out bytes.Buffer
	if _, err := formats.Export(ctx, &out, store, &jsondump.Exporter{}); err != nil {
		log.Fatal(err)
	}
	var archive struct {
		Header  struct{ Domain string }
		Methods []struct{ Name string }
	}
	if err := json.Unmarshal(out.Bytes(), &archive); err != nil {
		log.Fatal(err)
	}
	fmt.Println(archive.Header.Domain, archive.Methods)
	// Output: llvm-ir [{main}]
}
