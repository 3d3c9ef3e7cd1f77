package main

import (
	"archive/zip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed inputs
var inputs embed.FS

// writeInputs writes what the programs read into a directory.
func writeInputs(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "out"), 0o755); err != nil {
		return err
	}
	files := map[string]string{"inputs/shop.js": shopScript(), "inputs/Shop.g4": shopGrammar(),
		"inputs/books.xml": bookList(3000), "inputs/books.fo": bookPages()}
	for i := range 300 {
		files[fmt.Sprintf("inputs/books/%d.xml", i)] = bookList(20)
	}
	names, err := fs.Glob(inputs, "inputs/*")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := inputs.ReadFile(name)
		if err != nil {
			return err
		}
		files[name] = string(text)
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// shopScript returns a program in JavaScript for Closure to optimise.
func shopScript() string {
	var b strings.Builder
	b.WriteString("var shop = {};\n")
	for i := range 1500 {
		fmt.Fprintf(&b, `/** @param {number} amount @param {!Object} basket @return {number} */
shop.price%d = function (amount, basket) {
  var sum = 0, unused = amount * %d;
  for (var i = 0; i < amount; i++) { if (i %% 3 == %d) { sum += basket['a%d'] || 1 + 2 * 3; } else { sum -= i; } }
  return amount > 10 ? sum * 0.9 : shop.price%d ? sum + %d : 0;
};
`, i, i, i%3, i%50, i/2, i)
	}
	b.WriteString("window['price'] = shop.price1499;\n")
	return b.String()
}

// shopGrammar returns a grammar of many rules for ANTLR.
func shopGrammar() string {
	var b strings.Builder
	b.WriteString("grammar Shop;\nstart: rule0+ EOF;\n")
	for i := range 120 {
		fmt.Fprintf(&b, "rule%d: 'k%d' (ID | NUMBER)* rule%d? | ID ('+' | '-') rule%d | '(' rule%d (',' rule%d)* ')' | ID;\n",
			i, i, (i+1)%120, (i+7)%120, i/2, i/3)
	}
	b.WriteString("ID: [a-z] [a-z0-9]*;\nNUMBER: [0-9]+ ('.' [0-9]+)?;\nSPACE: [ \\n]+ -> skip;\n")
	return b.String()
}

// bookList returns a document in XML.
func bookList(n int) string {
	var b strings.Builder
	b.WriteString("<books>\n")
	for i := range n {
		fmt.Fprintf(&b, `<book id="%d" shelf="s%d"><title>title %d of @T@</title><price>%d.5</price></book>`+"\n",
			i, i*6007%97, i*29%811, i*41%500)
	}
	b.WriteString("</books>\n")
	return b.String()
}

// bookPages returns a document for FOP.
func bookPages() string {
	var b strings.Builder
	b.WriteString(`<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format"><fo:layout-master-set>
<fo:simple-page-master master-name="page" page-width="210mm" page-height="297mm" margin="20mm"><fo:region-body/>
</fo:simple-page-master></fo:layout-master-set>
<fo:page-sequence master-reference="page"><fo:flow flow-name="xsl-region-body">
`)
	for i := range 300 {
		fmt.Fprintf(&b, `<fo:block space-after="4mm" text-align="justify">%s</fo:block>`+"\n",
			strings.Repeat(fmt.Sprintf("title %d of shelf %d and others, ", i*29%811, i%97), 8))
		fmt.Fprintf(&b, `<fo:table><fo:table-body><fo:table-row><fo:table-cell border="1pt solid"><fo:block>%d</fo:block>`+
			`</fo:table-cell><fo:table-cell><fo:block>%d.50</fo:block></fo:table-cell></fo:table-row></fo:table-body></fo:table>`+
			"\n", i, i*41%500)
	}
	b.WriteString("</fo:flow></fo:page-sequence></fo:root>\n")
	return b.String()
}

// unzipSources writes a JDK's sources of java.util.concurrent into a directory, and their names into a file of
// arguments for javac.
func unzipSources(home, dir string) error {
	z, err := zip.OpenReader(filepath.Join(home, "lib/src.zip"))
	if err != nil {
		return err
	}
	defer z.Close()
	var names strings.Builder
	for _, f := range z.File {
		if ok, _ := filepath.Match("java.base/java/util/concurrent/*.java", f.Name); !ok {
			continue
		}
		text, err := readZipped(f)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, f.Name)
		if err := writeFile(path, text); err != nil {
			return err
		}
		fmt.Fprintln(&names, path)
	}
	return writeFile(filepath.Join(dir, "files"), names.String())
}

func readZipped(f *zip.File) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}
