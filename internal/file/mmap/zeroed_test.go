package mmap

import "testing"

func TestZeroed(t *testing.T) {
	const size = 3*boundary + 4
	memory, err := MapZeroed(size)
	if err != nil || len(memory) != size {
		t.Fatalf("%d bytes, %v", len(memory), err)
	}
	for i := range memory {
		if memory[i] != 0 {
			t.Fatalf("byte %d is %d", i, memory[i])
		}
	}
	memory[size-1] = 1
	UnmapZeroed(memory)
}
