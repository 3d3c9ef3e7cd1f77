package hotspot

// Decode gives a name in UTF-8 that the VM has in its modified UTF-8.
func Decode(modified string) string { return fromModified(modified) }
