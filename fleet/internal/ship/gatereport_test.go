package ship

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGateReports(t *testing.T) {
	const passed = `{"archive": "a/app.parc", "verdict": "pass", "criteria": [
		{"name": "fit", "state": "passed", "value": 0.9712, "bound": "least", "threshold": 0.9, "unit": "share"},
		{"name": "overlap", "state": "off", "value": null, "bound": "least", "threshold": 0.5, "unit": "share"},
		{"name": "age", "state": "unchecked", "value": null, "bound": "most", "threshold": 9, "unit": "seconds"}]}`
	for name, c := range map[string]struct{ text, archive, want, err string }{
		"passed": {passed, "b/app.parc", "pass: fit passed 0.9712 share (least 0.9); age unchecked", ""},
		"of another archive": {passed, "b/other.parc", "",
			"--gate gate.json: it is of a/app.parc: run profarc gate --json b/other.parc"},
		"failed": {`{"archive": "app.parc", "verdict": "fail"}`, "app.parc", "",
			"app.parc does not pass the gate: its verdict in gate.json is fail"},
		"no report": {"{}", "app.parc", "", "--gate gate.json: it is not the output of profarc gate --json"},
		"no JSON":   {"pass", "app.parc", "", "--gate gate.json: it is not the output of profarc gate --json"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "gate.json")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Chdir(filepath.Dir(file))
			got, err := readGateReport(t.Context(), "gate.json", c.archive)
			if got != c.want || err == nil != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
