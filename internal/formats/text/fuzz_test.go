package text

import "testing"

// FuzzRead: no text makes Read panic, and what it takes is an archive whose own
// text gives the same bytes.
func FuzzRead(f *testing.F) {
	for name := range specimens(f) {
		f.Add(goldenText(f, name))
	}
	f.Add("profarc text 1\ndomain llvm-ir\nmethod f\n  profile\n    @0 ValueSite indirect-call f=1\nend\n")
	f.Fuzz(func(t *testing.T, text string) { _ = checkAny(t, text) })
}
