// Package sparsebits keeps a few bits for each of very many places, of which
// most are never asked for: which pages of an archive were checked, which
// blocks were, which were claimed. Memory is allocated where a bit is set
// first, 512 bytes at a time; up front a [Set] costs 8 bytes for 2^20 places and a
// [States] 8 bytes for 2^19. Both are safe for concurrent use.
package sparsebits
