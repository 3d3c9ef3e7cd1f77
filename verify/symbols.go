package verify

import (
	"bytes"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// symbols walks the symbol section: symbols fill it, ascend, end in zeros, and lists are made of texts.
func (c *check) symbols() error {
	section := c.h.Parts[disk.PartSymbols]
	last := []byte(nil)
	for at := section.Offset; at < section.End(); {
		if err := c.interrupted(); err != nil {
			return err
		}
		b, used, err := c.symbol(section, at)
		if err != nil {
			return err
		}
		text, err := c.symbolText(at, b[:used])
		if err != nil {
			return err
		}
		if len(bytes.Trim(b[used:], "\x00")) != 0 {
			err = c.wrong(disk.RegionRO, at, "bytes behind a symbol that are not zero")
		} else if c.report.Counts.Symbols > 0 && bytes.Compare(last, text) >= 0 {
			err = c.wrong(disk.RegionRO, at, "a symbol that does not sort behind the one before")
		}
		if err != nil {
			return err
		}
		last = text
		c.report.Counts.Symbols++
		at += int64(len(b))
	}
	return c.listParts()
}

// symbol fetches the symbol at an offset, and says how many of its bytes are no padding.
func (c *check) symbol(section layout.Span, at int64) (b []byte, used int64, err error) {
	head, err := c.m.Bytes(disk.RegionRO, at, disk.Unit)
	if err != nil {
		return nil, 0, err
	}
	used, size := symbolSize(head)
	if !section.Holds(at, size) {
		return nil, 0, disk.Corrupt(disk.RegionRO, at, "a symbol of %d bytes runs over the end of its section", used)
	}
	b, err = c.m.Bytes(disk.RegionRO, at, size)
	return b, used, err
}

// symbolSize returns how many bytes the symbol at the front of head needs, without and with its padding.
func symbolSize(head []byte) (used, size int64) {
	if parts, list := disk.SymbolParts(head); list {
		return 4 + 4*parts, disk.ListSize(parts)
	}
	n := disk.SymbolLength(head)
	return 4 + n, disk.SymbolSize(n)
}

// symbolText returns the text of a symbol, whose place it notes.
func (c *check) symbolText(at int64, symbol []byte) ([]byte, error) {
	n := disk.RefOf(at)
	if parts, list := disk.SymbolParts(symbol); list {
		c.starts.lists.add(n)
		signature, err := c.signatureOf(at, symbol, parts)
		if c.listText += int64(len(signature)) + disk.ListText(parts); err == nil &&
			c.listText > disk.MaxKeyText(c.h.FileSize) {
			err = disk.Corrupt(disk.RegionRO, at, "signatures made of names that have more than %d bytes of text together",
				disk.MaxKeyText(c.h.FileSize))
		}
		return signature, err
	}
	text := symbol[4:]
	c.starts.texts.add(n)
	if len(text) <= disk.MaxName && bytes.IndexByte(text, 0) < 0 {
		c.starts.names.add(n)
	}
	return text, nil
}

// signatureOf joins the text of a list.
func (c *check) signatureOf(at int64, list []byte, parts int64) (text []byte, err error) {
	if parts == 0 || parts > disk.MaxName {
		return nil, disk.Corrupt(disk.RegionRO, at, "a list of %d symbols", parts)
	}
	total := int64(0)
	for i := range parts {
		part, err := c.s.SymbolAt(disk.SymbolPart(list, i))
		if err != nil {
			return nil, err
		}
		if total += int64(part.Len()) + 1; total > disk.MaxName {
			return nil, disk.Corrupt(disk.RegionRO, at, "a signature of more than %d bytes", disk.MaxName)
		}
		if i > 1 {
			text = append(text, ',')
		}
		if text = part.AppendTo(text); i == 0 {
			text = append(text, '(')
		}
	}
	return append(text, ')'), nil
}

// listParts checks what lists are made of.
func (c *check) listParts() error {
	section := c.h.Parts[disk.PartSymbols]
	for at := section.Offset; at < section.End(); {
		b, _, err := c.symbol(section, at)
		if err != nil {
			return err
		}
		if parts, list := disk.SymbolParts(b); list {
			for i := range parts {
				err := c.interrupted()
				if err == nil {
					err = c.name(at, "part of a signature", disk.SymbolPart(b, i))
				}
				if err != nil {
					return err
				}
			}
		}
		at += int64(len(b))
	}
	return nil
}
