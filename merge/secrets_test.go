package merge_test

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// TestSecretsOfOthersAreMasked merges an archive of another writer, which kept a command line
// as it was: the merged archive has it nowhere, and says the same if it is merged again.
func TestSecretsOfOthersAreMasked(t *testing.T) {
	const secret = "hunter2"
	b := testarchive.New(layout.DomainHotSpot)
	row := disk.RunRow{}
	cells := row.Words[:]
	for _, text := range []string{"17", "", "Main",
		"java -Djwt=" + secret + " Main -p " + secret + " 'Authorization: Bearer " + secret + "'", "-Dx.pass=" + secret, ""} {
		if text == "" {
			cells = append(cells, 0)
		} else {
			cells = append(cells, uint64(b.Internal().Symbol(text)))
		}
	}
	b.Internal().Table(disk.TableRuns, 0).Row(cells...)
	archive := testarchive.Build(t, b)
	if !bytes.Contains(archive.Bytes, []byte(secret)) {
		t.Fatal("the archive to merge has no secret")
	}
	for range 2 {
		into := testarchive.New(layout.DomainHotSpot)
		if err := merge.Into(t.Context(), into, archive.Store, merge.Run{}); err != nil {
			t.Fatal(err)
		}
		archive = testarchive.Build(t, into)
		runs, err := archive.Runs()
		if err != nil || len(runs) != 1 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		testarchive.CheckEqual(t, "command", runs[0].Command, "java -Djwt=*** Main -p *** ***")
		testarchive.CheckEqual(t, "options", runs[0].Options, "-Dx.pass=***")
		if bytes.Contains(archive.Bytes, []byte(secret)) {
			t.Error("the merged archive has a secret")
		}
	}
}

// TestBuilderMasksSecrets describes a run as a VM does that does not think of secrets.
func TestBuilderMasksSecrets(t *testing.T) {
	b := testarchive.New(layout.DomainHotSpot)
	b.Internal().DescribeRun(layout.Provenance{Main: "Main", Command: "java -cp a.jar Main hunter2",
		Options: "-Djwt=hunter2 -Xmx1g"})
	archive := testarchive.Build(t, b)
	runs, err := archive.Runs()
	if err != nil || len(runs) != 1 || bytes.Contains(archive.Bytes, []byte("hunter")) {
		t.Fatalf("%+v, %v", runs, err)
	}
	testarchive.CheckEqual(t, "command", runs[0].Command+" "+runs[0].Options, "java -cp a.jar Main *** -Djwt=*** -Xmx1g")
}
