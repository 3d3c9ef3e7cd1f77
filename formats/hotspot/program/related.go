package program

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/jvm/classfile"
)

// ErrUnrelated: a class path has not one class of the program that profiles are
// of. What it lacks says nothing of the program then.
var ErrUnrelated = errors.New("not one class of the profiles is there")

// Related gives an error that matches ErrUnrelated, and says what the class path
// has in their place, if classes were asked for, those of a JDK aside, and it had
// none of them.
func (c *ClassPath) Related() error {
	if !c.asked || c.found || !c.program {
		return nil
	}
	var hints []string
	for _, name := range c.names {
		if !ofModules(name) {
			hints = append(hints, hint(name))
		}
	}
	return fmt.Errorf("%w: %s", ErrUnrelated, strings.Join(hints, "; "))
}

// hint says what a part of a class path has, and what to name in its place.
func hint(name string) string {
	if classfile.Wildcard(name) {
		return "the jars of " + name + " are of another program"
	}
	s := classfile.Look(name)
	switch {
	case s.Class != "" && s.Root != "" && filepath.Clean(s.Root) != filepath.Clean(name):
		return fmt.Sprintf("the classes below %s begin at %s: name that folder", name, s.Root)
	case s.Class != "":
		return fmt.Sprintf("%s is of another program, it has class %s", name, strings.ReplaceAll(s.Class, "/", "."))
	case s.Jar != "":
		return fmt.Sprintf("%s has jars and no class files: name the jars, or all of them with '%s'", name, filepath.Join(filepath.Dir(s.Jar), "*"))
	case s.Source != "":
		return fmt.Sprintf("%s has Java sources and no class files: name the folder that they are compiled into", name)
	}
	return name + " has no class files: name the folder or jar that has them"
}
