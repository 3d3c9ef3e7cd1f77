package ship

import (
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/fleet/internal/testregistry"
	"github.com/profarc/profarc/fleet/internal/testschema"
)

// TestEachJSONHasASchema runs each command with --json. must compares the output with the schema.
func TestEachJSONHasASchema(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	names := pushArchives(t, host, 2)
	prod := host + "/shop:prod"
	must(t, "promote", names[0], "--to", "prod")
	ran := []string{"push"}
	for _, args := range [][]string{
		{"promote", names[1], "--to", "prod"}, {"rollback", prod}, {"history", prod}, {"list", host + "/shop"},
		{"prune", host + "/shop", "--keep", "1"}, {"pull", prod, "-o", newTarget(t).path},
	} {
		must(t, append(args, "--json")...)
		ran = append(ran, args[0])
	}
	commands, err := testschema.Commands(Commands(quiet()))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ran)
	slices.Sort(commands)
	if !slices.Equal(commands, ran) {
		t.Errorf("%v have --json, and %v ran", commands, ran)
	}
	text := must(t, "history", prod, "--json")
	text = strings.Replace(text, "{", `{"new": 1,`, 1)
	err = testschema.Validate(testschema.Folder, "history", text)
	if err == nil || !strings.Contains(err.Error(), "new") {
		t.Errorf("a field that the schema lacks: %v", err)
	}
}
