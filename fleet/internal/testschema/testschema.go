// Package testschema compares the JSON that commands print with the schemas in docs/schema, for tests.
package testschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
)

// Folder is the path of the schemas from a folder of fleet/internal or fleet/cmd.
const Folder = "../../../docs/schema"

// Validate returns an error unless text is one or more JSON values that the schema of a command allows.
func Validate(folder, command, text string) error {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(folder, command+".json"))
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for n := 0; ; n++ {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return fmt.Errorf("no JSON: %w", err)
		}
		if err := schema.Validate(v); err != nil {
			return err
		}
	}
}

// Commands returns the names of the schemas of the commands with --json.
func Commands(all []*cobra.Command) (names []string, err error) {
	for _, cmd := range all {
		if cmd.Flags().Lookup("json") == nil {
			continue
		}
		names = append(names, cmd.Name())
		if cmd.Name() == "watch" {
			names = append(names, "fleet-watch") // of stores
		}
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(Folder, name+".json")); err != nil {
			return nil, fmt.Errorf("%s --json has no schema: %w", name, err)
		}
	}
	return names, nil
}
