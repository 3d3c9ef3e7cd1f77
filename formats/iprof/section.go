package iprof

import "strings"

// A sectionKind is what a key of the file holds. The numbers are stored in the
// source order of an archive.
type sectionKind uint8

const (
	foreign      sectionKind = 0 // a key that means nothing here, or not what it should
	version      sectionKind = 1
	types        sectionKind = 2
	methods      sectionKind = 3
	calls        sectionKind = 4
	conditionals sectionKind = 5
	virtuals     sectionKind = 6
	instanceofs  sectionKind = 7
	monitors     sectionKind = 8
	samples      sectionKind = 9
	sectionKinds             = 10
)

var sectionKeys = [sectionKinds]string{
	version: "version", types: "types", methods: "methods", calls: "callCountProfiles", conditionals: "conditionalProfiles",
	virtuals: "virtualInvokeProfiles", instanceofs: "instanceofProfiles", monitors: "monitorProfiles", samples: "samplingProfiles",
}

// oldKeys are the keys of 0.2.0 where they differ.
var oldKeys = map[string]sectionKind{
	"hotnessPoints": calls, "conditionalPoints": conditionals, "invokePoints": virtuals, oldMonitors: monitors,
}

// oldMonitors holds one record, and no list of them.
const oldMonitors = "monitorsProfile"

var kindOf = func() map[string]sectionKind {
	kinds := map[string]sectionKind{}
	for k, key := range sectionKeys {
		if key != "" {
			kinds[key] = sectionKind(k)
		}
	}
	return kinds
}()

// inProfiles reports whether the records of a section are entries of profiles.
func (k sectionKind) inProfiles() bool { return k >= calls && k <= instanceofs }

// width is the number of integers that a row of a record has.
func (k sectionKind) width() int {
	switch k {
	case conditionals:
		return 3
	case virtuals, instanceofs, monitors:
		return 2
	}
	return 1
}

// The orders in which GraalVM writes its keys.
var (
	order04 = []sectionKind{version, types, methods, monitors, virtuals, calls, conditionals, samples}
	order10 = []sectionKind{version, types, methods, calls, conditionals, virtuals, monitors, samples}
	order11 = []sectionKind{version, types, methods, calls, conditionals, virtuals, instanceofs, monitors, samples}
)

// oldVersion reports whether a version is spelled as 0.2.0 is.
func oldVersion(v string) bool {
	minor, ok := strings.CutPrefix(v, "0.")
	return ok && minor[0] < '4' && minor[1] == '.'
}

// Versions are the versions that Write writes.
var Versions = []string{"0.4.0", "1.0.0", "1.1.0"}

func orderOf(v string) []sectionKind {
	switch v {
	case "0.4.0":
		return order04
	case "1.1.0":
		return order11
	}
	return order10
}
