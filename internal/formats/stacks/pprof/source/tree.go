package source

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
)

// ErrNoFiles means that a folder has no Go files.
var ErrNoFiles = errors.New("no Go file in it")

// A Tree is the source of all packages of a build. It implements [methodcode.Source].
type Tree struct {
	packages map[string]*packageFunctions // keyed by import path, which is "main" for all programs
	links    []link
	members  map[string]bool // names of functions, methods and types
	fields   map[string]bool // names of fields, which can hold functions

	ignored  map[string]bool   // functions in files that the build leaves out
	problems map[string]string // errors of packages that were not read
}

type packageFunctions struct {
	functions map[string][]*body // keyed by name
	declared  map[string]bool    // names of functions and types
	embedding map[string]bool    // types with embedded fields, from which they have methods
}

func newTree() *Tree {
	return &Tree{packages: map[string]*packageFunctions{}, members: map[string]bool{}, fields: map[string]bool{},
		ignored: map[string]bool{}, problems: map[string]string{}}
}

func (t *Tree) addedPackage(pkg string) *packageFunctions {
	of := t.packages[pkg]
	if of == nil {
		of = &packageFunctions{map[string][]*body{}, map[string]bool{}, map[string]bool{}}
		t.packages[pkg] = of
	}
	return of
}

// addFile adds the functions of a file to package pkg.
func (t *Tree) addFile(name, pkg string) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution|parser.ParseComments)
	if parsed == nil || err != nil {
		return // skip files with errors
	}
	if parsed.Name.Name == "main" {
		pkg = "main"
	}
	of := t.addedPackage(pkg)
	t.addLinks(parsed, pkg)
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			key := linkerName(d)
			of.functions[key] = append(of.functions[key], newBody(set, d.Pos(), d, d.Body))
			of.declared[key] = true
			t.members[d.Name.Name] = true
		case *ast.GenDecl:
			of.addInitializers(set, d)
			t.addTypes(of, d)
		}
	}
}

// addLinks adds the directives of a file that give functions another symbol.
func (t *Tree) addLinks(file *ast.File, pkg string) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if f := strings.Fields(c.Text); len(f) == 3 && f[0] == "//go:linkname" {
				t.links = append(t.links, link{pkg, f[1], f[2]})
			}
		}
	}
}

func (t *Tree) addTypes(in *packageFunctions, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if spec, ok := spec.(*ast.TypeSpec); ok {
			in.declared[spec.Name.Name] = true
			t.members[spec.Name.Name] = true
			t.addFields(in, spec)
		}
	}
}

// addFields adds the fields of a type, and the methods of an interface.
func (t *Tree) addFields(in *packageFunctions, spec *ast.TypeSpec) {
	ast.Inspect(spec.Type, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		switch {
		case !ok:
			return true
		case len(field.Names) == 0:
			in.embedding[spec.Name.Name] = true
		}
		_, ofInterface := spec.Type.(*ast.InterfaceType)
		for _, name := range field.Names {
			if ofInterface {
				t.members[name.Name] = true
			} else {
				t.fields[name.Name] = true
			}
		}
		return true
	})
}

// addInitializers adds the closures in package variables. The linker puts them in functions glob. and init.
func (f *packageFunctions) addInitializers(set *token.FileSet, d *ast.GenDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			b := &body{}
			b.closures = append(b.closures, newBody(set, lit.Pos(), lit, lit.Body))
			for _, key := range []string{"glob.", "init"} {
				f.functions[key] = append(f.functions[key], b)
			}
		}
		return true
	})
}

// linkerName returns the linker's name of a function without its package.
func linkerName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	of := unwrap(d.Recv.List[0].Type)
	pointer, isPointer := of.(*ast.StarExpr)
	if isPointer {
		of = unwrap(pointer.X)
	}
	name, ok := of.(*ast.Ident)
	switch {
	case !ok:
		return d.Name.Name
	case isPointer:
		return "(*" + name.Name + ")." + d.Name.Name
	}
	return name.Name + "." + d.Name.Name
}

// Method implements [fit.Code]. The answer has no code to compare.
func (t *Tree) Method(k layout.Key) (methodcode.Answer, error) {
	_, a := t.Bodies(k.Name)
	return a, nil
}

// Bodies implements [methodcode.Source].
func (t *Tree) Bodies(name string) (found []methodcode.Body, a methodcode.Answer) {
	s := parseSymbol(name)
	var of []*body
	in := t.packages[s.pkg]
	if in != nil {
		of = in.functions[s.name]
		if len(of) == 0 && s.closure { // of a function that was inlined: its name begins with the caller's
			of = in.functions[s.lastName()]
		}
	}
	if len(of) == 0 {
		return nil, t.answerWithout(s)
	}
	for _, b := range of {
		switch {
		case s.closure:
			for _, c := range b.closures {
				if c.suffix == closureKind(name) {
					found = append(found, located{c, in, t})
				}
			}
		case !b.unknown:
			found = append(found, located{b, in, t})
		}
	}
	switch {
	case len(found) > 0:
		return found, methodcode.Answer{}
	case s.closure:
		return nil, methodcode.Answer{Presence: methodcode.NoMethod}
	}
	return nil, methodcode.UnknownBecause("in assembly, or linked under another name")
}

// answerWithout returns the answer for a function that is not in the source.
func (t *Tree) answerWithout(s symbol) methodcode.Answer {
	in := t.packages[s.pkg]
	of, method := s.receiver()
	switch {
	case t.problems[s.pkg] != "":
		return methodcode.UnknownBecause("its package cannot be read: " + t.problems[s.pkg])
	case s.isGenerated():
		return methodcode.UnknownBecause("generated by the compiler, or not of Go")
	case in == nil && !strings.Contains(strings.Split(s.pkg, "/")[0], "."):
		return methodcode.UnknownBecause("its package is not in the source")
	case in == nil:
		return methodcode.Answer{Presence: methodcode.NoClass}
	case s.closure && strings.Contains(s.name, "."):
		return methodcode.UnknownBecause("a closure of a function that was inlined")
	case t.ignored[s.pkg+"."+s.name]:
		return methodcode.UnknownBecause("in files for another system or with other tags than this build's")
	case method && in.embedding[of], method && len(in.functions[of+"."+s.lastName()]) > 0:
		return methodcode.UnknownBecause("a method of an embedded type, called through a wrapper")
	}
	return methodcode.Answer{Presence: methodcode.NoMethod}
}

// Beside implements [methodcode.Source]. The names are sorted.
func (t *Tree) Beside(name string) (names []string) {
	s := parseSymbol(name)
	in := t.packages[s.pkg]
	if in == nil || s.closure {
		return nil
	}
	at := strings.LastIndexByte(s.pkg, '/') + 1
	pkg := s.pkg[:at] + strings.ReplaceAll(s.pkg[at:], ".", "%2e")
	for other := range in.functions {
		names = append(names, pkg+"."+other)
	}
	slices.Sort(names)
	return names
}
