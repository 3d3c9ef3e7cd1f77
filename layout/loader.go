package layout

import "strings"

// The identity of a class loader is a name, and, of HotSpot's archives, behind it
// what tells the loader from others of that name: an anchor, @ and 16 hexadecimal
// digits, or a number, # and decimal digits.

const anchorDigits = 16

// NumberedLoader reports whether a class loader's identity ends in a number: in
// another run the number may be of another loader.
func NumberedLoader(identity string) bool {
	at := strings.LastIndexByte(identity, '#')
	return at > 0 && at+1 < len(identity) && strings.Trim(identity[at+1:], "0123456789") == ""
}

// LoaderName is the identity of a class loader without what tells it from others
// of one name.
func LoaderName(identity string) string {
	if NumberedLoader(identity) {
		return identity[:strings.LastIndexByte(identity, '#')]
	}
	at := strings.LastIndexByte(identity, '@')
	if at > 0 && len(identity)-at-1 == anchorDigits && strings.Trim(identity[at+1:], "0123456789abcdef") == "" {
		return identity[:at]
	}
	return identity
}
