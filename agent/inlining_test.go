package agent_test

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// With profiling off, C2 alone: the compiler inlines the receivers that the archive names,
// and without the archive none.
func TestC2InlinesWhatTheArchiveSays(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Adopted.java")
		archive := train(t, home, classes, 20000)
		inlined := func(flags ...string) string {
			args := append(flags, "-Xbatch", "-XX:-TieredCompilation", "-XX:-ProfileInterpreter",
				"-XX:+UnlockDiagnosticVMOptions",
				"-XX:+PrintCompilation", "-XX:+PrintInlining", "-cp", classes, "Adopted", "train", "20000")
			out, _ := startJVM(t, home, args...).End()
			return out
		}
		const site = "TypeProfile ("
		with, without := inlined(agentFlag(t, archive, ",weight=6000,weights=flat")), inlined()
		if !strings.Contains(with, "Adopted$Square::area (10 bytes)   inline (hot)") || !strings.Contains(with, site) {
			t.Errorf("C2 does not inline what the archive says:\n%s", with)
		}
		if strings.Contains(without, site) {
			t.Errorf("C2 has a profile without the archive:\n%s", without)
		}
	})
}
