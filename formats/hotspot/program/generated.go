package program

import (
	"regexp"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/jvm/names"
)

// reasonMade is why a class that a program makes for itself is not checked.
const reasonMade = "its name is made up anew in each run"

// Classes that are in no file, by what makes them: a JDK for method handles;
// libraries that make subclasses.
var made = []*regexp.Regexp{
	regexp.MustCompile(`^java/lang/invoke/(BoundMethodHandle\$Species_|LambdaForm\$|[A-Za-z]+\$Holder$)`),
	regexp.MustCompile(`\$\$(EnhancerBy|FastClassBy|KeyFactoryBy)[A-Za-z]*\$\$[0-9a-f]+$`),
	regexp.MustCompile(`\$\$(SpringCGLIB|FastClass)\$\$[0-9]+$`),
	regexp.MustCompile(`\$(ByteBuddy|MockitoMock|HibernateProxy)\$`),
	regexp.MustCompile(`_\$\$_(jvst|javassist_)[0-9a-f_]+$`),
}

// madeWhileRunning reports whether a class is named as those are that are made
// while a program runs. Some of them are also in a JDK, ready made.
func madeWhileRunning(class string) bool {
	matches := func(m *regexp.Regexp) bool { return m.MatchString(class) }
	return names.IsNumbered(class) || strings.Contains(class, "$") && slices.ContainsFunc(made, matches)
}
