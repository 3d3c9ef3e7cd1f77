module github.com/profarc/profarc/example/vm

go 1.25.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/profarc/profarc v0.0.0
)

require (
	github.com/RoaringBitmap/roaring/v2 v2.30.0 // indirect
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/edsrzf/mmap-go v1.2.0 // indirect
	github.com/mschoch/smat v0.2.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/profarc/profarc => ../..
