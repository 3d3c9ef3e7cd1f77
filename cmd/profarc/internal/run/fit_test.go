package run

import (
	"testing"

	"github.com/profarc/profarc/layout"
)

func TestBuildOfVM(t *testing.T) {
	t.Parallel()
	const (
		ours  = "OpenJDK 64-Bit Server VM (17.0.14+7-LTS) for linux-amd64 JRE (17.0.14+7-LTS), built on Jan 1 2025"
		older = "OpenJDK 64-Bit Server VM (17.0.1+12) for linux-amd64 JRE (17.0.1+12), built on Jan 1 2022"
	)
	for _, test := range []struct {
		name string
		vms  []string
		fits bool
	}{
		{"no run is known", nil, true},
		{"the same build", []string{ours}, true},
		{"another build", []string{older}, false},
		{"two builds, one of them the same", []string{older, ours}, true},
		{"two other builds", []string{older, older}, false},
		{"a run that does not say", []string{older, ""}, true},
		{"a text of another form", []string{"some VM"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var runs []layout.Provenance
			for _, vm := range test.vms {
				runs = append(runs, layout.Provenance{VM: vm})
			}
			if err := checkBuild("app.parc", "17.0.14+7-LTS", runs); (err == nil) != test.fits {
				t.Errorf("%s: %v", test.name, err)
			}
		})
	}
}
