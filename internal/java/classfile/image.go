package classfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// A JDK has its own classes in the file lib/modules. In the machine's byte order, it contains
//
//	u32 magic 0xcafedada, u32 version, u32 flags, u32 resources
//	u32 length of the table, u32 size of the locations, u32 size of the strings
//	i32 x length   redirect: a seed (> 0), or -1 - the index in the table (< 0)
//	u32 x length   table: offset of a resource's description in the locations
//	locations, strings, resources
//
// A location is a list of attributes, each a byte kind << 3 | size - 1 and size bytes, big-endian, terminated by kind
// 0. The hash of its path /module/parent/base.extension locates a resource.
const (
	imageMagic      = 0xcafedada
	imageHeaderSize = 28
	imageSeed       = 0x01000193
)

// Kinds of attributes of a location.
const (
	imageEnd = iota
	imageModule
	imageParent
	imageBase
	imageExtension
	imageOffset
	imageCompressed
	imageSize
	imageKinds
)

var errImage = errors.New("not a sound file of a JDK's modules")

// maxImageIndex is the maximum size in bytes of an image's index.
const maxImageIndex = 1 << 28

type image struct {
	file                *os.File
	length              uint32
	redirect, table     []byte
	locations, strings  []byte
	resources, fileSize int64
}

func openImage(path string) (*image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	m := &image{file: f}
	if err := m.readIndex(); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func (m *image) readIndex() error {
	info, err := m.file.Stat()
	if err != nil {
		return err
	}
	m.fileSize = info.Size()
	var header [imageHeaderSize]byte
	if _, err := io.ReadFull(m.file, header[:]); err != nil {
		return errImage
	}
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint32(header[4*i:])) }
	m.length = uint32(word(4))
	sizes := []int64{4 * word(4), 4 * word(4), word(5), word(6)}
	total := sizes[0] + sizes[1] + sizes[2] + sizes[3]
	m.resources = imageHeaderSize + total
	if word(0) != imageMagic || m.length == 0 || total > maxImageIndex || m.resources > m.fileSize {
		return errImage
	}
	index := make([]byte, total)
	if _, err := io.ReadFull(m.file, index); err != nil {
		return err
	}
	for i, part := range []*[]byte{&m.redirect, &m.table, &m.locations, &m.strings} {
		*part, index = index[:sizes[i]], index[sizes[i]:]
	}
	return nil
}

func (m *image) appendFiles(files []classFile, class string, _ int) []classFile {
	return append(files, imageFile{m, class})
}

type imageFile struct {
	in    *image
	class string
}

func (f imageFile) fileName() string { return f.in.file.Name() + "!/" + f.class + extension }

func (f imageFile) readFile() ([]byte, error) {
	at := strings.LastIndexByte(f.class, '/')
	if at < 0 {
		return nil, fs.ErrNotExist
	}
	module, err := f.in.moduleOf(strings.ReplaceAll(f.class[:at], "/", "."))
	if err != nil {
		return nil, err
	}
	return f.in.readResource("/" + module + "/" + f.class + extension)
}

// moduleOf returns the module with a package's content. The resource lists all its modules as u32 empty, u32 name.
func (m *image) moduleOf(pkg string) (name string, err error) {
	list, err := m.readResource("/packages/" + pkg)
	for ; len(list) >= 8; list = list[8:] {
		if binary.LittleEndian.Uint32(list) == 0 {
			return m.stringAt(uint64(binary.LittleEndian.Uint32(list[4:]))), nil
		}
	}
	return "", cmp.Or(err, fs.ErrNotExist)
}

// readResource reads a resource. The error is fs.ErrNotExist if it is missing.
func (m *image) readResource(path string) ([]byte, error) {
	i := m.hashPath(path, imageSeed) % m.length
	switch seed := int32(binary.LittleEndian.Uint32(m.redirect[4*i:])); {
	case seed == 0:
		return nil, fs.ErrNotExist
	case seed < 0:
		i = uint32(-1 - seed)
	default:
		i = m.hashPath(path, uint32(seed)) % m.length
	}
	if i >= m.length {
		return nil, errImage
	}
	a := m.decodeLocation(binary.LittleEndian.Uint32(m.table[4*i:]))
	if m.locationPath(a) != path {
		return nil, fs.ErrNotExist
	}
	if a[imageCompressed] != 0 {
		return nil, fmt.Errorf("%s is compressed by jlink: use a JDK that was linked without compression", path)
	}
	room := uint64(m.fileSize - m.resources)
	if a[imageOffset] > room || a[imageSize] > room-a[imageOffset] {
		return nil, errImage
	}
	if a[imageSize] > maxFileSize {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrClassFile, maxFileSize)
	}
	b := make([]byte, a[imageSize])
	if _, err := m.file.ReadAt(b, m.resources+int64(a[imageOffset])); err != nil {
		return nil, err
	}
	return b, nil
}

func (m *image) Close() error { return m.file.Close() }

func (m *image) hashPath(path string, seed uint32) uint32 {
	for i := range len(path) {
		seed = seed*imageSeed ^ uint32(path[i])
	}
	return seed & 0x7fffffff
}

func (m *image) decodeLocation(at uint32) (a [imageKinds]uint64) {
	if int64(at) >= int64(len(m.locations)) {
		return a
	}
	for rest := m.locations[at:]; len(rest) > 0; {
		kind := rest[0] >> 3
		n := int(rest[0]&7) + 1
		if kind == imageEnd || kind >= imageKinds || len(rest) < 1+n {
			break
		}
		for _, c := range rest[1 : 1+n] {
			a[kind] = a[kind]<<8 | uint64(c)
		}
		rest = rest[1+n:]
	}
	return a
}

func (m *image) locationPath(a [imageKinds]uint64) string {
	path := ""
	if module := m.stringAt(a[imageModule]); module != "" {
		path = "/" + module + "/"
	}
	if parent := m.stringAt(a[imageParent]); parent != "" {
		path += parent + "/"
	}
	path += m.stringAt(a[imageBase])
	if extension := m.stringAt(a[imageExtension]); extension != "" {
		path += "." + extension
	}
	return path
}

func (m *image) stringAt(at uint64) string {
	if at >= uint64(len(m.strings)) {
		return ""
	}
	text, _, _ := strings.Cut(string(m.strings[at:min(at+1<<16, uint64(len(m.strings)))]), "\x00")
	return text
}
