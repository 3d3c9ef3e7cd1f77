package ship

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// classA is the file of a class A without any member.
const classA = "\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x05\x07\x00\x02\x01\x00\x01A\x07\x00\x04\x01\x00\x10java/lang/Object" +
	"\x00\x21\x00\x01\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00"

// An archive does not fit if next to nothing of it can be compared with the code, whatever its score is.
func TestTooLittleIsCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "A.class"), []byte(classA), 0o600); err != nil {
		t.Fatal(err)
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for class, calls := range map[string]uint64{"A": 3, "java/lang/String": 97} {
		t.Run(class, func(t *testing.T) {
			p := b.Profile(layout.Key{Class: class, Name: "m", Signature: "()V"}, 7)
			p.Invocations(calls)
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		})
	}
	path := filepath.Join(dir, "a.parc")
	if _, err := b.Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, d := range []demand{{minChecked: 0.04}, {minChecked: 0.03}} {
		d.classPath = []string{filepath.Join(dir, "gone.jar"), dir}
		_, checked, err := d.judgeFit(t.Context(), s, "")
		if checked != 0.03 {
			t.Errorf("%v was compared: %v", checked, err)
		}
		var no misfit
		is := errors.As(err, &no)
		if is != (d.minChecked > 0.03) || is && !strings.HasPrefix(no.why, "3.00% of its hot part") {
			t.Errorf("at least %v: %v", d.minChecked, err)
		}
	}
}

// TestOtherBuildsAreLeftToTheCode checks that another build of the VM is a misfit only if no class path is compared.
func TestOtherBuildsAreLeftToTheCode(t *testing.T) {
	t.Parallel()
	facts := artifact.Facts{Domain: layout.DomainHotSpot.String(), Builds: []string{"17.0.1+12"}}
	for name, c := range map[string]struct {
		d    deployment
		fits bool
	}{
		"no class path":       {deployment{java: "25.0.3+9"}, false},
		"the same build":      {deployment{java: "17.0.1+12"}, true},
		"a class path":        {deployment{java: "25.0.3+9", code: demand{classPath: []string{"app.jar"}}}, true},
		"a build is demanded": {deployment{build: "25.0.3+9", code: demand{classPath: []string{"app.jar"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.d.acceptsBuilds(facts); (err == nil) != c.fits {
				t.Error(err)
			}
		})
	}
}
