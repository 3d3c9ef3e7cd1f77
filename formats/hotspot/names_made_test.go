package hotspot

import "testing"

func TestClassesMadeInOrder(t *testing.T) {
	for class, want := range map[string]bool{
		"jdk/internal/reflect/GeneratedMethodAccessor12":         true,
		"sun/reflect/GeneratedSerializationConstructorAccessor1": true,
		"jdk/proxy2/$Proxy5":            true,
		"com/sun/proxy/$Proxy0":         true,
		"$Proxy1":                       true,
		"app/$Proxy":                    false,
		"app/Foo$Proxy1":                false,
		"app/GeneratedMethodAccessor12": false,
		"":                              false,
	} {
		if MadeInOrder(class) != want {
			t.Errorf("%q: %t", class, !want)
		}
	}
}
