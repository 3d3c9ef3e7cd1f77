package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
)

const schemas = "../../docs/schema"

// schemaFolder is the environment variable with the path of docs/schema in scripts.
const schemaFolder = "PROFARC_SCHEMAS"

// mainBySchema is main. It validates the output of --json in scripts, and exits with 125 if the schema does not allow
// it.
func mainBySchema() {
	folder := os.Getenv(schemaFolder)
	os.Unsetenv(schemaFolder) // processes that the command starts are not checked
	if folder == "" || !slices.Contains(os.Args, "--json") {
		main()
	}
	printed, code := runCopied()
	if err := checkPrinted(folder, os.Args[1:], printed, code); err != nil {
		fmt.Fprintln(os.Stderr, "docs/schema:", err)
		code = 125
	}
	os.Exit(code)
}

// runCopied runs this command again, in a process, and returns a copy of its standard output.
func runCopied() (printed []byte, code int) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	var text bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args = os.Args
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, io.MultiWriter(os.Stdout, &text), os.Stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		panic(err)
	}
	return text.Bytes(), cmd.ProcessState.ExitCode()
}

// checkPrinted validates each value that a command printed. A command that failed can print a part of a value.
func checkPrinted(folder string, args []string, printed []byte, code int) error {
	cmd, _, err := newRootCommand(app.New(nil, cli.Streams{})).Find(args)
	if err != nil {
		return err
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(folder, schemaName(cmd)+".json"))
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(printed))
	d.UseNumber()
	for n := 0; ; n++ {
		var v any
		switch err := d.Decode(&v); {
		case code != 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)), errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return fmt.Errorf("%v: no JSON: %w", args, err)
		}
		if err := schema.Validate(v); err != nil {
			return fmt.Errorf("%v: %w", args, err)
		}
	}
}

// schemaName returns the name of a command's schema: agent-builds for profarc agent builds.
func schemaName(cmd *cobra.Command) string {
	return strings.Join(strings.Fields(cmd.CommandPath())[1:], "-")
}

// TestEachJSONHasASchema: each command with --json has a schema and a script, and each schema a command.
func TestEachJSONHasASchema(t *testing.T) {
	t.Parallel()
	var scripts strings.Builder
	for _, path := range glob(t, "testdata/script/*.txtar") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	unused := map[string]bool{"fleet-watch": true} // of watch for stores
	for _, c := range cli.FleetCommands {
		unused[c.Name] = true // tests of fleet compare
	}
	schemaFiles := map[string]bool{}
	for _, path := range glob(t, schemas+"/*.json") {
		schemaFiles[strings.TrimSuffix(filepath.Base(path), ".json")] = true
	}
	for _, cmd := range jsonCommands() {
		name := schemaName(cmd)
		if !schemaFiles[name] {
			t.Errorf("%s --json has no schema %s/%s.json", cmd.CommandPath(), schemas, name)
		}
		unused[name] = true
		if !hasJSONLine(scripts.String(), cmd.CommandPath()) {
			t.Errorf("no script runs %s --json", cmd.CommandPath())
		}
	}
	for name := range schemaFiles {
		if !unused[name] {
			t.Errorf("%s/%s.json is of no command with --json", schemas, name)
		}
	}
}

func jsonCommands() (list []*cobra.Command) {
	for _, c := range newRootCommand(app.New(nil, cli.Streams{})).Commands() {
		for _, cmd := range append(c.Commands(), c) {
			if cmd.Flags().Lookup("json") != nil {
				list = append(list, cmd)
			}
		}
	}
	return list
}

// hasJSONLine reports whether a line of scripts runs a command with --json.
func hasJSONLine(scripts, command string) bool {
	for line := range strings.Lines(scripts) {
		if strings.Contains(line, command+" ") && strings.Contains(line, " --json") {
			return true
		}
	}
	return false
}

// openObjects are objects whose keys archives and formats choose.
var openObjects = []string{"show.json#/$defs/entry"}

// TestSchemasAreClosed: a schema has an id with its version, and its objects allow no other fields, so that a new
// field needs a line in it.
func TestSchemasAreClosed(t *testing.T) {
	t.Parallel()
	for _, path := range glob(t, schemas+"/*.json") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var s map[string]any
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if _, err := jsonschema.NewCompiler().Compile(path); err != nil {
			t.Error(err)
		}
		file := filepath.Base(path)
		if want := "profarc/" + strings.TrimSuffix(file, ".json") + "/v1"; s["$id"] != want ||
			s["$schema"] != "https://json-schema.org/draft/2020-12/schema" || s["title"] == nil {
			t.Errorf("%s: $id %v, want %s; $schema %v, title %v", file, s["$id"], want, s["$schema"], s["title"])
		}
		open := findOpenObjects(file+"#", s)
		for _, at := range open {
			if !slices.Contains(openObjects, at) {
				t.Errorf("%s allows any field: add \"additionalProperties\": false", at)
			}
		}
	}
	if found := findOpenObjects("#", map[string]any{"items": map[string]any{"type": "object"}}); len(found) != 1 {
		t.Errorf("found %v", found)
	}
}

// findOpenObjects returns the places of objects without rules for other fields.
func findOpenObjects(at string, schema any) (found []string) {
	switch s := schema.(type) {
	case []any:
		for i, v := range s {
			found = append(found, findOpenObjects(fmt.Sprintf("%s/%d", at, i), v)...)
		}
	case map[string]any:
		if _, closed := s["additionalProperties"]; !closed && isObjectSchema(s) {
			found = append(found, at)
		}
		for _, key := range slices.Sorted(maps.Keys(s)) {
			found = append(found, findOpenObjects(at+"/"+key, s[key])...)
		}
	}
	return found
}

// isObjectSchema reports whether a schema allows objects and has no reference to another schema with the rules.
func isObjectSchema(s map[string]any) bool {
	if types, ok := s["type"].([]any); ok {
		return slices.Contains(types, any("object"))
	}
	return s["type"] == "object"
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	return paths
}

// TestUnknownFieldsFail: the check of scripts finds a field that the schema lacks. A failed command can print a part
// of a value.
func TestUnknownFieldsFail(t *testing.T) {
	t.Parallel()
	const good = `{"version":"1","commit":"","formats":["1"],"go":"go1","system":"linux/amd64"`
	for text, want := range map[string]string{
		good + "}":                "",
		good + "}\n" + good + "}": "",
		good + `,"new":1}`:        "new",
		`{"version":1}`:           "version",
		good:                      "no JSON",
		"":                        "no JSON",
		"text":                    "no JSON",
	} {
		err := checkPrinted(schemas, []string{"version", "--json"}, []byte(text), 0)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := checkPrinted(schemas, []string{"version", "--json"}, []byte(good), 1); err != nil {
		t.Error(err)
	}
}
