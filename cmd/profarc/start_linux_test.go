package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// initialized matches a package in the output of GODEBUG=inittrace=1, with the bytes that its initialization allocates.
var initialized = regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, \d+ allocs$`)

// TestStartAllocatesLittle checks that packages of this module allocate little before main. Tables and expressions that
// few commands need are made at their first use.
func TestStartAllocatesLittle(t *testing.T) {
	const mostOfPackage, mostOfAll = 32 << 10, 100 << 10
	cmd := exec.Command("profarc", "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packages, all := 0, 0
	for _, m := range initialized.FindAllStringSubmatch(string(out), -1) {
		name, ours := strings.CutPrefix(m[1], "github.com/profarc/profarc/")
		if !ours || name == "cmd/profarc" || strings.HasPrefix(name, "internal/testkit/") {
			continue // only tests have these
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if n > mostOfPackage {
			t.Errorf("the start allocates %d bytes in %s: make its tables at their first use", n, name)
		}
		packages++
		all += n
	}
	t.Logf("%d packages allocate %d bytes", packages, all)
	if packages < 20 || all > mostOfAll {
		t.Errorf("%d packages allocate %d bytes before main, more than %d", packages, all, mostOfAll)
	}
}
