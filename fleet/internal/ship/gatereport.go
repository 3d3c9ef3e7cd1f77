package ship

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/cli"
)

// A gateReport is the part of the output of profarc gate --json that is stored with an archive.
type gateReport struct {
	Archive  string `json:"archive"`
	Verdict  string `json:"verdict"`
	Criteria []struct {
		Name      string   `json:"name"`
		State     string   `json:"state"`
		Value     *float64 `json:"value"`
		Bound     string   `json:"bound"`
		Threshold float64  `json:"threshold"`
		Unit      string   `json:"unit"`
	} `json:"criteria"`
}

// readGateReport returns one line about the gate that an archive has passed, for example "pass: fit passed 0.97 share
// (least 0.9); size passed 1472 bytes (most 2.56e+08)". Criteria that are off are left out.
func readGateReport(ctx context.Context, file, archive string) (string, error) {
	data, err := cli.ReadSmallFile(ctx, file, cli.SmallFile)
	if err != nil {
		return "", err
	}
	var r gateReport
	if err := json.Unmarshal(data, &r); err != nil || r.Verdict == "" {
		return "", cli.Usagef("--gate %s: it is not the output of profarc gate --json", file)
	}
	if filepath.Base(r.Archive) != filepath.Base(archive) {
		return "", cli.Usagef("--gate %s: it is of %s: run profarc gate --json %s", file, r.Archive, archive)
	}
	if r.Verdict != "pass" {
		return "", fmt.Errorf("%s does not pass the gate: its verdict in %s is %s", archive, file, r.Verdict)
	}
	var parts []string
	for _, c := range r.Criteria {
		if c.State == "off" {
			continue
		}
		text := c.Name + " " + c.State
		if c.Value != nil {
			text += fmt.Sprintf(" %.4g %s (%s %.4g)", *c.Value, c.Unit, c.Bound, c.Threshold)
		}
		parts = append(parts, text)
	}
	return r.Verdict + ": " + strings.Join(parts, "; "), nil
}
