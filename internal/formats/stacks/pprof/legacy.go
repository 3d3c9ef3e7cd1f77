package pprof

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// legacyText matches the start of pprof's older text formats.
var legacyText = lazyregexp.New(`^(?:heap profile: |heapz v2 |goroutine profile: total |threadcreate profile: total |` +
	`--- (?:contentionz|contention|mutex|threadz|symbol|heapz|growthz|Memory map)\b|MAPPED_LIBRARIES:)`)

// isLegacy reports whether an input has one of pprof's older formats.
func isLegacy(head []byte) bool { return legacyText().Match(head) || legacyWords(head) != nil }

// legacyHeader is the number of words before the samples of a binary profile of gperftools.
const legacyHeader = 5

// legacyWords returns the words of a binary profile of gperftools, which begins with 0, 3, 0 (1 in Java's profiles),
// period and 0, or nil. Words have 32 or 64 bits and either byte order. The text after the samples is not words.
func legacyWords(data []byte) []uint64 {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			words := make([]uint64, len(data)/size)
			for i := range words {
				if size == 4 {
					words[i] = uint64(order.Uint32(data[4*i:]))
				} else {
					words[i] = order.Uint64(data[8*i:])
				}
				if i == 1 && words[1] != 3 {
					words = nil
					break
				}
			}
			if len(words) >= legacyHeader && words[0] == 0 && words[2] <= 1 && words[3] != 0 && words[4] == 0 {
				return words
			}
		}
	}
	return nil
}

// isWholeCPU reports whether the samples { count, depth, addresses } end with the trailer, a sample of address 0.
func isWholeCPU(words []uint64) bool {
	for at := uint64(legacyHeader); at+2 < uint64(len(words)); {
		depth := words[at+1]
		if depth == 1 && words[at+2] == 0 {
			return true
		}
		if depth > uint64(len(words)) {
			break
		}
		at += 2 + depth
	}
	return false
}

// convertLegacy converts a profile of an older format to profile.proto, without compression. The error matches ErrCut
// or ErrLegacy.
func convertLegacy(data []byte) (converted []byte, err error) {
	kind := ErrLegacy
	if words := legacyWords(data); words != nil {
		kind = ErrCut
		if !isWholeCPU(words) {
			return nil, ErrCut
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", kind, p)
		}
	}()
	p, err := profile.ParseData(data)
	if err == nil && len(p.Sample) == 0 {
		err = errors.New("it has no samples")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", kind, err)
	}
	var out bytes.Buffer
	err = p.WriteUncompressed(&out)
	return out.Bytes(), err
}
