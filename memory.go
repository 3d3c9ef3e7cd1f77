package profarc

import "sync/atomic"

// memory allocates sites in blocks, because a VM creates thousands of them when it starts.
type memory struct {
	sites []site
	words []own
	types []atomic.Pointer[Type]
}

// perBlock is the number of sites per block.
const perBlock = 64

// site returns a copy of s with the given numbers of words and types.
func (m *memory) site(s site, words, types int) *site {
	if len(m.sites) == 0 {
		m.sites = make([]site, perBlock)
	}
	s.words, s.types = cut(&m.words, words), cut(&m.types, types)
	m.sites[0] = s
	at := &m.sites[0]
	m.sites = m.sites[1:]
	return at
}

// cut takes n elements from a block. It allocates a new block if fewer are left.
func cut[T any](block *[]T, n int) []T {
	if len(*block) < n {
		*block = make([]T, max(n, 4*perBlock))
	}
	b := (*block)[:n:n]
	*block = (*block)[n:]
	return b
}
