package profarc

import "sync/atomic"

// memory is where sites are, many to one allocation: a VM sets up thousands of them at its start.
type memory struct {
	sites []site
	words []own
	types []atomic.Pointer[Type]
}

// perBlock is how many sites one allocation has.
const perBlock = 64

// site returns a new site with words and types.
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

// cut returns n of a block's elements, and makes another block if there are fewer left.
func cut[T any](block *[]T, n int) []T {
	if len(*block) < n {
		*block = make([]T, max(n, 4*perBlock))
	}
	b := (*block)[:n:n]
	*block = (*block)[n:]
	return b
}
