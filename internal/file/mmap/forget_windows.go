package mmap

// Forget does nothing: here the system decides alone.
func (v *View) Forget() {}
