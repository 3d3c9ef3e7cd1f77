package mmap

// Forget does nothing, since Windows decides alone.
func (v *View) Forget() {}
