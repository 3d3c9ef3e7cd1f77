package pages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// A report is for others: it names no folder of the machine that wrote it. Pages of a server
// say where the archive is.
func TestFoldersAreNotInReports(t *testing.T) {
	t.Parallel()
	data, _, err := specimen.All()[0].Build().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("/home/secret-place/app.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	defer s.Close()
	missing := []string{"/home/secret-place/classes"}
	site := NewSite(t.Context(), Options{Archive: s, Other: s, ClassPath: missing, SourcePath: missing})
	var report bytes.Buffer
	if err := site.WriteReport(t.Context(), &report, 5, nil); err != nil {
		t.Fatal(err)
	}
	text := unbroken(report.String())
	if at := strings.Index(text, "secret-place"); at >= 0 {
		t.Errorf("the report names the folder: %s", text[max(at-200, 0):at+20])
	}
	if strings.Count(text, ">app.parc and app.parc<") < 2 ||
		!strings.Contains(text, "<title>app.parc and app.parc</title>") {
		t.Error("the report does not name its archives")
	}
	source := (&request{site: site}).withoutFolders(missing[0] + "/src.zip!/a/B.java")
	if want := "classes/src.zip!/a/B.java"; source != want {
		t.Errorf("a source file is %s, want %s", source, want)
	}
	if page := shownPageOf(t, site, "overview", query{}); !strings.Contains(page,
		"<dt>File<dd>/home/secret-place/app.parc") {
		t.Error("the overview does not say where the archive is")
	}
}
