package layout

import "strings"

// Apart is the key with its parts in fields of their own, for people and for
// filters. Only Jamaica's keys change, whose name is a whole signature: of
// "java/nio/B.m()V" the class is java/nio/B, the name m and the signature ()V.
// What comes out is no key of the archive.
func (k Key) Apart(d Domain) Key {
	if d != DomainJamaica || k.Class != "" {
		return k
	}
	if at := strings.IndexByte(k.Name, '('); at >= 0 {
		k.Name, k.Signature = k.Name[:at], k.Name[at:]
	}
	if at := strings.LastIndexByte(k.Name, '.'); at >= 0 {
		k.Class, k.Name = k.Name[:at], k.Name[at+1:]
	}
	return k
}
