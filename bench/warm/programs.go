package main

import (
	"os"
	"path/filepath"
)

// debianJars is the folder with the jars of Debian's packages.
const debianJars = "/usr/share/java"

// A program is a program to measure.
type program struct {
	name     string
	packages string   // Debian package
	jars     []string // names in debianJars without .jar
	source   string   // file in inputs; Java sources are compiled to a separate jar
	tool     string   // tool of the JDK to run instead of java
	args     []string
	unit     string // regular expression for profarc warm --unit
	ignore   string // regular expression for profarc warm --ignore
	archived string // program whose archive is adopted, or "" for the program itself
}

var programs = []program{
	{name: "h2", packages: "libh2-java", jars: []string{"h2"}, source: "Queries.java",
		args: []string{"Queries", "10"}, unit: `^unit \d+ took (.*)`},
	{name: "javac", packages: "openjdk-17-source", tool: "bin/javac",
		args: []string{"-nowarn", "-XDignore.symbol.file", "-d", "out", "--patch-module", "java.base={sources}/java.base",
			"@{sources}/files"}},
	{name: "tomcat", packages: "libtomcat10-embed-java", jars: []string{"tomcat10-embed-core", "tomcat10-annotations-api",
		"tomcat10-servlet-api", "tomcat-annotations-api", "jakarta-annotation-api"}, source: "Pages.java",
		args: []string{"Pages", "3000"}},
	{name: "closure", packages: "libclosure-compiler-java", jars: []string{"closure-compiler", "guava", "jarjar", "json",
		"args4j", "protobuf", "rhino"}, args: []string{"com.google.javascript.jscomp.CommandLineRunner", "--js",
		"inputs/shop.js", "--js_output_file", "out/shop.js"}},
	{name: "antlr", packages: "antlr4", jars: []string{"antlr4", "antlr4-runtime", "stringtemplate4", "antlr3-runtime",
		"treelayout"}, args: []string{"org.antlr.v4.Tool", "-o", "out/antlr", "inputs/Shop.g4"}},
	{name: "rhino", packages: "rhino", jars: []string{"rhino"},
		args: []string{"org.mozilla.javascript.tools.shell.Main", "inputs/words.js"}},
	{name: "saxon", packages: "libsaxonhe-java", jars: []string{"Saxon-HE"},
		args: []string{"net.sf.saxon.Transform", "-s:inputs/books.xml", "-xsl:inputs/words.xsl"}},
	{name: "jython", packages: "jython", jars: []string{"jython"}, source: "words.py",
		args: []string{"-Dpython.cachedir.skip=true", "-Dpython.home=/usr/share/jython", "org.python.util.jython",
			"inputs/words.py"}},
	{name: "fop", packages: "fop", jars: []string{"fop", "commons-io", "serializer", "xalan2", "xml-apis", "batik-all",
		"commons-logging", "xercesImpl", "xmlgraphics-commons", "xml-apis-ext", "fontbox2"},
		args: []string{"-Djava.awt.headless=true", "org.apache.fop.cli.Main", "-q", "inputs/books.fo", "out/books.pdf"}},
	{name: "groovy", packages: "groovy", jars: []string{"groovy-all"},
		args: []string{"groovy.ui.GroovyMain", "inputs/words.groovy"}},
	{name: "clojure", packages: "clojure", jars: []string{"clojure", "spec.alpha", "core.specs.alpha"},
		args: []string{"clojure.main", "inputs/words.clj"}},
	{name: "ant", packages: "ant", jars: []string{"ant", "ant-launcher"},
		args:   []string{"org.apache.tools.ant.Main", "-q", "-f", "inputs/build.xml"},
		ignore: `^Total time`},
	{name: "hello", packages: "libh2-java", source: "Hello.java", args: []string{"Hello"}, archived: "h2"},
	{name: "server", packages: "libh2-java", jars: []string{"h2"}, source: "Requests.java",
		args: []string{"-Dsun.net.httpserver.nodelay=true", "Requests", "10000"}, unit: `^request took (.*)`},
}

// missingPackage returns advice to install the package if its first jar is missing. The other jars are not in all
// releases.
func (p program) missingPackage() string {
	for i, name := range p.jars {
		if _, err := os.Stat(filepath.Join(debianJars, name+".jar")); err != nil && i == 0 {
			return "install Debian's package " + p.packages
		}
	}
	return ""
}
