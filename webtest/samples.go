package webtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// A Sample has the archives of a site.
type Sample struct {
	Name string
	Args []string // paths of archives, arguments of profarc web
}

// Mark occurs in the names of elements, attributes and functions that successful hostile names would create or call.
const Mark = "hostile"

// hostileNames are injection attacks. Archives reject names with NUL.
var hostileNames = []string{
	`<script>hostile()</script>`,
	`<img src=x onerror=hostile()>`,
	`</title></style></script></svg><b data-hostile=1>bold</b>`,
	`"><b data-hostile="2" x="`,
	`' onfocus='hostile()' autofocus tabindex='1`,
	`javascript:hostile()`,
	`data:text/html,<script>hostile()</script>`,
	`//hostile.invalid/x.png`,
	`<svg><animate onbegin=hostile() attributeName=x /></svg>`,
	`<!--`, `]]>`, `&lt;b data-hostile&gt;`, `{{.}} ${hostile()} </textarea>`,
	"\u202egnp.exe\u202c", "\u05e9\u05dc\u05d5\u05dd\u0634", "\u2028\u2029\r\n\t", "\x1b[31m\xff\xfe",
	strings.Repeat("Long", 2500),
	`hostile?at=1&at=2#method`, `C:\..\..\%2e%2e/%00`,
}

// Samples writes archives of all domains, with more methods than a page has rows, with hostile names, and for a
// comparison of two archives.
func Samples(folder string) ([]Sample, error) {
	specimens := append(specimen.All(), specimen.HostileWith(hostileNames...)...)
	specimens = append(specimens, specimen.Specimen{Name: "many", Build: func() *builder.Builder { return Many(250, 1) }},
		specimen.Specimen{Name: "many-newer", Build: func() *builder.Builder { return Many(240, 2) }})
	var list []Sample
	for _, s := range specimens {
		path, err := write(folder, s)
		if err != nil {
			return nil, err
		}
		list = append(list, Sample{s.Name, []string{path}})
	}
	last := len(list) - 1
	list[last] = Sample{"compared", []string{list[last-1].Args[0], list[last].Args[0]}}
	return list, nil
}

func write(folder string, s specimen.Specimen) (path string, err error) {
	data, err := s.Bytes()
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Name, err)
	}
	path = filepath.Join(folder, s.Name+".parc")
	return path, os.WriteFile(path, data, 0o644)
}

// Many returns an archive of a JVM with many methods. The seed determines their counts and the bias of some branches.
func Many(methods, seed int) *builder.Builder {
	params := layout.Params{TypeProfileWidth: 2, TypeProfileLevel: 111, VMRelease: 17}
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "OpenJDK 17.0.15+6", Params: params})
	types := make([]builder.TypeRef, 5)
	for i := range types {
		types[i] = b.Type(builder.TypeKey{Name: fmt.Sprintf("com/example/shape/Shape%d", i)})
	}
	for i := range methods {
		m := b.Method(layout.Key{Class: fmt.Sprintf("com/example/%s/Class%d", packages[i%len(packages)], i/7),
			Name: fmt.Sprintf("method%d", i), Signature: "(ILjava/lang/String;)V"})
		p := b.ProfileIn(m, 0, 0)
		manyPoints(p, types, i, uint64(seed))
		_ = p.Done() // the builder keeps the error
	}
	return b
}

var packages = []string{"parse", "check", "emit", "util"}

// manyPoints adds counts at some points of a method.
func manyPoints(p *builder.Profile, types []builder.TypeRef, i int, seed uint64) {
	n := uint64(i*i)*seed + 1
	p.Invocations(n)
	p.Backedges(3 * n)
	taken := n
	not := n / 9
	if seed > 1 && i%5 == 0 {
		taken, not = not, taken
	}
	p.Branch(builder.At{Bci: 4}, builder.Branch{Taken: taken, NotTaken: not})
	p.VirtualCall(builder.At{Bci: 11}, builder.Others{Count: n / 8}, builder.Row{Type: types[i%5], Count: n},
		builder.Row{Type: types[(i+1)%5], Count: n/uint64(1+i%3) + 1})
}
