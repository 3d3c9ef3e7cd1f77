package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	classpath "github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const till = `class Till {
    static int sum(int[] prices, boolean half) {
        int sum = 0;
        for (int p : prices) {
            if (half)
                p /= 2;
            sum += p;
        }
        return sum;
    }
    static int first(int[] prices) { return prices.length > 0 ? prices[0] : 0; }
}
`

// compiledTill compiles the class, and returns the folder of its source, the class path, and the
// id of the code of one of its methods.
func compiledTill(t *testing.T, of layout.Key) (folder, classes string, id uint64) {
	t.Helper()
	home := testjvm.First()
	testjvm.Need(t, home)
	folder = t.TempDir()
	file := filepath.Join(folder, "Till.java")
	if err := os.WriteFile(file, []byte(till), 0o666); err != nil {
		t.Fatal(err)
	}
	classes = testjvm.Compile(t, home, file)
	code, err := classpath.OpenClassPath([]string{classes}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	found, err := code.Method(of)
	if err != nil || len(found.Versions) != 1 {
		t.Fatal(found, err)
	}
	return folder, classes, found.Versions[0].ID
}

// fitSite returns a site with a class path, and an archive with three profiles: of the code as
// it is, of changed code, and of a method that is gone.
func fitSite(t *testing.T) *Site {
	first := layout.Key{Class: "Till", Name: "first", Signature: "([I)I", Loader: "app"}
	_, classes, id := compiledTill(t, first)
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for key, id := range map[layout.Key]uint64{
		first: id,
		{Class: "Till", Name: "sum", Signature: "([IZ)I", Loader: "app"}: 99,
		{Class: "Till", Name: "gone", Signature: "()V", Loader: "app"}:   7,
	} {
		p := b.Profile(key, id)
		p.Branch(builder.At{Bci: 2}, builder.Branch{Taken: 30, Displacement: 8, NotTaken: 70})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return NewSite(t.Context(), Options{Archive: memstore.Open(t, b), ClassPath: []string{classes}})
}

// TestFitSaysWhatTheReportSays compares the page with the report that the command prints as
// JSON, and follows the misfits.
func TestFitSaysWhatTheReportSays(t *testing.T) {
	t.Parallel()
	site := fitSite(t)
	page := built[*fitPage](t, requestOf(t, site, nameOfFit))
	code, err := classpath.OpenClassPath(site.ClassPath, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	found, err := fit.Check(t.Context(), site.Archive, code, fit.Options{Top: misfitsListed})
	if err != nil {
		t.Fatal(err)
	}
	want := &report.Check{Archive: site.Archive.Mapping().Name(), Against: site.ClassPath[0], Domain: "hotspot",
		Loaders: []loaders.Doubt{}}
	if err := want.SetResult(site.Archive, found, cli.DefaultKept, cli.DefaultChecked); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, page.Check, cmpopts.IgnoreTypes(reader.Method{}, reader.Profile{})); diff != "" {
		t.Error(diff)
	}
	states := map[string]string{}
	for _, row := range page.Profiles.Rows {
		states[row[0].Link.Text] = row[2].Link.Text
	}
	if diff := cmp.Diff(map[string]string{"Exact": "1", "Renamed": "0", "Moved": "0", "Stale": "1", "Gone": "1",
		"Unchecked": "0"}, states); diff != "" {
		t.Error(diff)
	}
	for _, row := range page.Misfits.Rows {
		r := requestOf(t, site, row[0].Link.view)
		r.query = row[0].Link.query
		if text := shown(t, r); r.view.name == nameOfMoves &&
			(strings.Count(text, "<tr><td") != 4 || strings.Count(text, "<td>New") != 3) {
			t.Errorf("the page of the moves is\n%s", text)
		}
	}
}

// TestFitListsWhatCouldNotBeChecked has profiles of the JDK, which is not on the class path.
func TestFitListsWhatCouldNotBeChecked(t *testing.T) {
	t.Parallel()
	site := fitSite(t)
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for key, taken := range map[layout.Key]uint64{
		{Class: "Till", Name: "gone", Signature: "()V", Loader: "app"}: 5,
		{Class: "java/util/List", Name: "few", Signature: "()V"}:       1,
		{Class: "java/util/List", Name: "many", Signature: "()V"}:      1000,
	} {
		p := b.Profile(key, 7)
		p.Branch(builder.At{Bci: 2}, builder.Branch{Taken: taken, Displacement: 8})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	site.Archive = memstore.Open(t, b)
	page := built[*fitPage](t, requestOf(t, site, nameOfFit))
	var got []string
	for _, r := range page.Unchecked.Rows {
		got = append(got, r[0].Link.Text+" "+r[0].Link.view+" "+r[2].Link.Text)
		if r[1].Link.Text != capitalized(page.Reasons[0].Reason) {
			t.Errorf("the reason is %q", r[1].Link.Text)
		}
	}
	if !strings.Contains(page.Advice, `--class-path app.jar:'lib/*':"$JAVA_HOME"`) {
		t.Errorf("the advice is %q", page.Advice)
	}
	if want := []string{"java.util.List.many() method 1,000", "java.util.List.few() method 1"}; !cmp.Equal(got, want) {
		t.Errorf("the list has %q, want %q", got, want)
	}
	if !strings.Contains(shown(t, requestOf(t, site, nameOfFit)), `id="unchecked"`) {
		t.Error("the page does not show the list")
	}
}

// TestFitWithOtherClassesIsRefused gives a class path of another program.
func TestFitWithOtherClassesIsRefused(t *testing.T) {
	t.Parallel()
	site := fitSite(t)
	site.ClassPath = []string{t.TempDir()}
	if page := shown(t, requestOf(t, site, nameOfFit)); strings.Contains(page, "<table") ||
		!strings.Contains(page, "class") {
		t.Errorf("the page is\n%s", page)
	}
}
