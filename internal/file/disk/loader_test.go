package disk

import "testing"

func TestLoaderNames(t *testing.T) {
	for identity, want := range map[string]struct {
		name     string
		numbered bool
	}{
		"":                         {"", false},
		"app":                      {"app", false},
		"org/Foo":                  {"org/Foo", false},
		"org/Foo#2":                {"org/Foo", true},
		"org/Foo#":                 {"org/Foo#", false},
		"#2":                       {"#2", false},
		"org/Foo@0123456789abcdef": {"org/Foo", false},
		"org/Foo@0123456789abcde":  {"org/Foo@0123456789abcde", false},
		"org/Foo@0123456789ABCDEF": {"org/Foo@0123456789ABCDEF", false},
		"org/Foo[a@b#c]#12":        {"org/Foo[a@b#c]", true},
		"text#2":                   {"text", true},
	} {
		t.Run(identity, func(t *testing.T) {
			if name, numbered := LoaderName(identity), NumberedLoader(identity); name != want.name || numbered != want.numbered {
				t.Errorf("%q: %q, numbered %t", identity, name, numbered)
			}
		})
	}
}
