package layout

// check holds the header against itself: every region and section must lie
// where this version puts it. It costs the same for a file of any size.
func (h *Header) check(p []byte) error {
	if !h.Domain.Valid() {
		return Corrupt(RegionHeader, offDomain, "unknown domain %d", uint32(h.Domain))
	}
	if s := le.Uint32(p[offPageShift:]); s != PageShift {
		return Corrupt(RegionHeader, offPageShift, "page shift is %d, want %d", s, PageShift)
	}
	if h.FileSize < HeaderSize || h.FileSize > MaxFileSize {
		return Corrupt(RegionHeader, offFileSize, "file size is %d", h.FileSize)
	}
	if h.Base%PageSize != 0 || h.Base > 1<<62 {
		return Corrupt(RegionHeader, offBase, "requested base is 0x%x", h.Base)
	}
	if err := h.Params.Check(); err != nil {
		return err
	}
	if err := h.checkRegions(p); err != nil {
		return err
	}
	if err := h.checkSections(); err != nil {
		return err
	}
	return h.checkIndex()
}

func (h *Header) checkRegions(p []byte) error {
	end := int64(HeaderSize)
	for i, s := range h.Regions {
		r, at := Region(i+1), int64(offRegions+24*i)
		if kind := le.Uint32(p[at+20:]); kind != uint32(r) {
			return Corrupt(RegionHeader, at+20, "region row %d is of kind %d", i, kind)
		}
		if prot := le.Uint32(p[at+16:]); prot != uint32(protections[r]) {
			return Corrupt(RegionHeader, at+16, "region %s has protection %d", r, prot)
		}
		if s.Size < 0 || s.Offset != AlignUp(end, h.regionAlign(r)) || s.Size > h.FileSize-s.Offset || s.Size%Unit != 0 {
			return Corrupt(RegionHeader, at, "region %s is [0x%x, +0x%x) behind 0x%x in a file of 0x%x", r, s.Offset, s.Size, end, h.FileSize)
		}
		end = s.End()
	}
	if end != h.FileSize {
		return Corrupt(RegionHeader, offFileSize, "regions end at 0x%x, the file at 0x%x", end, h.FileSize)
	}
	if want := RWShift(h.Region(RegionRW).Size); h.RWShift != want {
		return Corrupt(RegionHeader, offRWShift, "rw alignment is 2^%d, want 2^%d", h.RWShift, want)
	}
	ps, want := h.Region(RegionPS).Size, h.SumTree().Size()
	if ps < want || ps > want+SumSlack(want) {
		return Corrupt(RegionHeader, offRegions, "page sums take %d bytes, want %d", ps, want)
	}
	return nil
}

// regionAlign is the alignment of a region. An archive without profiles has
// an empty rw, which needs none of its own.
func (h *Header) regionAlign(r Region) int64 {
	if r == RegionRW && h.Region(RegionRW).Size > 0 && (h.RWShift == SmallShift || h.RWShift == LargeShift) {
		return 1 << h.RWShift
	}
	return LineSize
}

func (h *Header) checkSections() error {
	end := h.Region(RegionRO).Offset
	for i, s := range h.Sections {
		if s.Offset != end || s.Size < 0 || s.Size%Unit != 0 || !h.Region(RegionRO).Holds(s.Offset, s.Size) {
			return Corrupt(RegionHeader, int64(offSections+16*i), "section %s is [0x%x, +0x%x) behind 0x%x", Section(i), s.Offset, s.Size, end)
		}
		end = s.End()
	}
	if end != h.Region(RegionRO).End() {
		return Corrupt(RegionHeader, offSections, "sections end at 0x%x, ro at 0x%x", end, h.Region(RegionRO).End())
	}
	if got := h.Sections[SectionTypes].Size; h.Counts.Types > MaxTypes || got != int64(h.Counts.Types)*TypeSize {
		return Corrupt(RegionHeader, offCounts, "%d types in %d bytes", h.Counts.Types, got)
	}
	if got := h.Sections[SectionContexts].Size; h.Counts.Contexts > MaxContexts || got != int64(h.Counts.Contexts)*ContextSize {
		return Corrupt(RegionHeader, offCounts, "%d contexts in %d bytes", h.Counts.Contexts, got)
	}
	return nil
}

func (h *Header) checkIndex() error {
	size := h.Region(RegionIX).Size
	if h.Buckets > MaxFileSize/LineSize || int64(h.Buckets)*LineSize != size {
		return Corrupt(RegionHeader, offBuckets, "%d index lines in %d bytes", h.Buckets, size)
	}
	if h.MaxProbe > MaxProbe || uint64(h.MaxProbe) > h.Buckets {
		return Corrupt(RegionHeader, offMaxProbe, "a look-up of %d lines in an index of %d", h.MaxProbe, h.Buckets)
	}
	return nil
}

// Summed is the part of the file that page sums cover: everything behind ps,
// padding included.
func (h *Header) Summed() Span {
	from := h.Region(RegionIX).Offset
	return Span{from, h.FileSize - from}
}

// SumTree is the geometry of the page sums.
func (h *Header) SumTree() SumTree { return NewSumTree(h.Summed()) }
