package iprof

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// valid fails if a text is no iprof file of a version by GraalVM's own schema; 0.4.0 is held against the
// schema of 1.0.0. It does nothing where the schemas are absent.
func valid(t *testing.T, text, version string) {
	t.Helper()
	s := schemaOf(t, version)
	if s == nil {
		return
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("not valid: %v\n%.500s", err, text)
	}
}

var schemas = map[string]*jsonschema.Schema{}

func schemaOf(t *testing.T, version string) *jsonschema.Schema {
	name := "iprof-v1.0.0.schema.json"
	if version == "1.1.0" {
		name = "iprof-v1.1.0.schema.json"
	}
	text, ok := sampleIfAny(t, name)
	if !ok {
		return nil
	}
	if s := schemas[name]; s != nil {
		return s
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	dropIDs(v)
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, v); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	schemas[name] = s
	return s
}

// dropIDs takes the names of a schema's parts out: some are given twice.
func dropIDs(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "$id")
		for _, part := range v {
			dropIDs(part)
		}
	case []any:
		for _, part := range v {
			dropIDs(part)
		}
	}
}

// TestSchemaRefuses: the schemas are not so that anything passes.
func TestSchemaRefuses(t *testing.T) {
	sample(t, "iprof-v1.0.0.schema.json")
	for _, version := range []string{"1.0.0", "1.1.0"} {
		t.Run(version, func(t *testing.T) {
			s := schemaOf(t, version)
			for _, text := range []string{`{"version":"1.0.0","types":[]}`,
				`{"version":"1.0.0","types":[],"methods":[],"callCountProfiles":[{"ctx":"1:1","records":[1]}]}`} {
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				if s.Validate(v) == nil {
					t.Errorf("%s: %s passes", version, text)
				}
			}
		})
	}
}
