package hotspot

import "regexp"

// A JDK makes classes while a program runs, and numbers them in the order of
// their making: what calls a method by reflection often, up to JDK 17, and
// proxies, which also stand for annotations.
var made = regexp.MustCompile(`^(jdk/internal|sun)/reflect/Generated(Serialization)?(Method|Constructor)Accessor[0-9]+$|(^|/)\$Proxy[0-9]+$`)

// MadeInOrder reports whether a class is named by the order of its making, so that
// in another run the name may be of another class.
func MadeInOrder(class string) bool {
	last := len(class) - 1
	return last > 0 && class[last] >= '0' && class[last] <= '9' && made.MatchString(class)
}
