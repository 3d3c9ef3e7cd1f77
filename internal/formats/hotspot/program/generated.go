package program

import (
	"regexp"
	"strings"
)

// reasonMade is why a class that a program makes for itself is not checked.
const reasonMade = "its name is made up anew in each run"

// Classes that are in no file, by what makes them: a JDK up to 17 where something
// is called by reflection often; a JDK for annotations and interfaces (proxies),
// and for method handles; libraries that make subclasses.
var made = []*regexp.Regexp{
	regexp.MustCompile(`^(jdk/internal|sun)/reflect/Generated(Serialization)?(Method|Constructor)Accessor[0-9]+$`),
	regexp.MustCompile(`(^|/)\$Proxy[0-9]+$`),
	regexp.MustCompile(`^java/lang/invoke/(BoundMethodHandle\$Species_|LambdaForm\$|[A-Za-z]+\$Holder$)`),
	regexp.MustCompile(`\$\$(EnhancerBy|FastClassBy|KeyFactoryBy)[A-Za-z]*\$\$[0-9a-f]+$`),
	regexp.MustCompile(`\$\$(SpringCGLIB|FastClass)\$\$[0-9]+$`),
	regexp.MustCompile(`\$(ByteBuddy|MockitoMock|HibernateProxy)\$`),
	regexp.MustCompile(`_\$\$_(jvst|javassist_)[0-9a-f_]+$`),
}

// madeWhileRunning reports whether a class is named as those are that are made
// while a program runs. Some of them are also in a JDK, ready made.
func madeWhileRunning(class string) bool {
	if !strings.Contains(class, "$") && !strings.Contains(class, "Accessor") {
		return false
	}
	for _, m := range made {
		if m.MatchString(class) {
			return true
		}
	}
	return false
}
