package program

import (
	"strings"

	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
)

// A GraalClassPath is the code of a class path under the names that GraalVM has in its profiles.
type GraalClassPath struct{ *ClassPath }

// builderPackages are packages of native-image itself, which a class path lacks.
var builderPackages = []string{"com/oracle/svm/", "com/oracle/graal/", "org/graalvm/", "jdk/graal/"}

// Method returns the versions of a method. Only classes of the program and their methods are certainly missing:
// native-image substitutes methods of the JDK, and generates classes.
func (c GraalClassPath) Method(k layout.Key) (methodcode.Answer, error) {
	inClass := k
	inClass.Class = strings.ReplaceAll(k.Class, ".", "/")
	if reason := c.reasonUnknown(inClass); reason != "" {
		return methodcode.Answer{Presence: methodcode.Unknown, Reason: reason}, nil
	}
	files, err := c.path.AllClasses(inClass.Class)
	switch {
	case err != nil:
		return methodcode.Answer{Presence: methodcode.Unknown, Reason: err.Error()}, nil
	case len(files) == 0 && isJDKMethod(inClass):
		return methodcode.Answer{Presence: methodcode.Unknown, Reason: "of the JDK, and not in the one that was given"}, nil
	case len(files) == 0:
		c.asked = true
		return c.answerWithoutClass(inClass), nil
	}
	c.asked, c.found = true, true
	return findGraalMethod(files, inClass), nil
}

// reasonUnknown returns why a class path cannot tell whether there is a method, or "".
func (c GraalClassPath) reasonUnknown(k layout.Key) string {
	for _, prefix := range builderPackages {
		if strings.HasPrefix(k.Class, prefix) {
			return "of native-image itself"
		}
	}
	switch {
	case k.Loader != "":
		return "of one of several classes with this name"
	case isGenerated(k.Class), strings.HasPrefix(k.Class, "$"), strings.ContainsAny(k.Class, "[;"),
		strings.Contains(k.Class, "/0x"), strings.ContainsAny(k.Name, "(/.;"):
		return reasonGenerated
	case k.Class == "" || k.Signature == "":
		return "its class or signature is not in the profile"
	}
	return ""
}

func findGraalMethod(files []*classfile.File, k layout.Key) methodcode.Answer {
	a := methodcode.Answer{Presence: methodcode.NoMethod}
	for _, class := range files {
		for _, m := range class.Methods {
			if spelled, ok := javanames.GraalSignature(m.Signature); ok && m.Name == k.Name && spelled == k.Signature {
				a.Presence, a.Versions = methodcode.Present, append(a.Versions, versionOf(m.Code))
			}
		}
	}
	if a.Presence == methodcode.NoMethod && isJDKMethod(k) {
		a = methodcode.Answer{Presence: methodcode.Unknown, Reason: "of the JDK, whose methods native-image substitutes"}
	}
	return a
}
