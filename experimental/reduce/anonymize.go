package reduce

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// An Anonymizer replaces names by keyed hashes, which are the letter x and 20 hexadecimal digits of HMAC-SHA256. One
// key always gives the same hash for a name, so archives anonymized with one key can be merged and compared. Without
// the key, nobody can test a guessed name.
//
// It hashes names of classes, methods and functions, and identities of loaders, dumps and programs. Names with a fixed
// meaning stay, so descriptors remain descriptors. These are primitive types, brackets, <init> and <clinit>, and the
// loaders app, platform and boot. IDs that LLVM computes from names change with the names, even if only the ID is
// known.
//
// An Anonymizer is safe for concurrent use.
type Anonymizer struct {
	keep func(name string) bool

	mu    sync.Mutex
	mac   hash.Hash
	known map[string]string // hashes of classes
}

// MinKey is the minimum length in bytes of an Anonymizer's key.
const MinKey = 16

// NewAnonymizer returns an Anonymizer with a key of at least MinKey bytes, or with a random key if key is nil. Classes
// for which keep returns true keep their names and the names of their methods, as do functions and vtables of languages
// without classes. keep gets names in the spelling of the archive, and may be nil.
func NewAnonymizer(key []byte, keep func(name string) bool) (*Anonymizer, error) {
	if key == nil {
		key = make([]byte, sha256.Size)
		_, _ = rand.Read(key) // rand.Read never fails
	}
	if len(key) < MinKey {
		return nil, fmt.Errorf("builder: a key of %d bytes can be guessed: use %d at least", len(key), MinKey)
	}
	return &Anonymizer{keep: keep, mac: hmac.New(sha256.New, key), known: map[string]string{}}, nil
}

const hashDigits = 20

func (a *Anonymizer) keyedHash(text string) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mac.Reset()
	a.mac.Write([]byte(text))
	return a.mac.Sum(nil)
}

func (a *Anonymizer) hashName(name string) string {
	if name == "" {
		return ""
	}
	return "x" + hex.EncodeToString(a.keyedHash(name))[:hashDigits]
}

func (a *Anonymizer) keepsName(name string) bool { return a.keep != nil && a.keep(name) }

func (a *Anonymizer) hashIdentity(id [16]byte) [16]byte {
	if a == nil || id == ([16]byte{}) {
		return id
	}
	return [16]byte(a.keyedHash(string(id[:])))
}

func (a *Anonymizer) hashKey(d layout.Domain, k layout.Key) layout.Key {
	switch {
	case a == nil:
		return k
	case d.LLVM():
		return layout.Key{Name: a.hashFunction(k.Name)}
	case d == layout.DomainJamaica && k.Class == "":
		return layout.Key{Name: a.hashJamaica(k.Name)}
	}
	name := k.Name
	if !a.keepsMethods(k.Class, name) {
		name = a.hashMethod(name)
	}
	return layout.Key{Class: a.hashTypeName(k.Class), Name: name, Signature: a.hashSignature(k.Signature),
		Loader: a.hashLoader(k.Loader)}
}

func (a *Anonymizer) keepsMethods(class, name string) bool {
	if class == "" {
		return a.keepsName(name)
	}
	return a.keepsClass(class)
}

func (a *Anonymizer) hashMethod(name string) string {
	if name == "<init>" || name == "<clinit>" {
		return name
	}
	return a.hashName(name)
}

func (a *Anonymizer) hashLoader(id string) string {
	switch {
	case id == "app", id == "platform", id == "boot":
		return id
	case strings.HasPrefix(id, "#") && strings.Trim(id[1:], "0123456789") == "":
		return id
	}
	return a.hashName(id)
}

func (a *Anonymizer) hashFunction(name string) string {
	if name == "" || a.keepsName(name) {
		return name
	}
	return a.hashFunctionID(disk.NameRef(name))
}

func (a *Anonymizer) hashFunctionID(id uint64) string {
	return a.hashName(string(binary.LittleEndian.AppendUint64(nil, id)))
}

func (a *Anonymizer) hashSymbol(of disk.TableKind, text string) string {
	switch {
	case a == nil, of == disk.TableProperties, // other properties are dropped
		of == disk.TableInputs, of == disk.TableLosses: // anonymousAccount clears names
		return text
	case of == disk.TableVTables:
		return a.hashFunction(text)
	case of == disk.TableInstances:
		return a.hashLoader(text)
	}
	return string(a.keyedHash(text)) // identifying bytes, such as build IDs
}

func (a *Anonymizer) anonymousRun(row []uint64) {
	hash := func(at, words int) {
		cells := row[at : at+words]
		b := make([]byte, 0, 8*words)
		for _, w := range cells {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		known := binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:]) != 0
		clear(cells)
		if known {
			sum := a.keyedHash(string(b))
			cells[0], cells[1] = binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])
		}
	}
	hash(0, 2) // dump
	hash(2, 2) // base dump of the counts
	hash(4, 5) // process
	clear(row[disk.RunClassPath:])
}

func anonymousAccount(kind disk.TableKind, row []uint64) {
	if kind == disk.TableLosses {
		row[disk.LossFirst] = 0
		return
	}
	row[disk.InputName] = 0
	row[disk.InputReason] = 0
	row[disk.InputHash] = 0
}

// hashTypeName hashes the name of a type in any domain's spelling. It may be an array such as [Lpackage/Name; or
// package.Name[], a primitive type, or a class.
func (a *Anonymizer) hashTypeName(name string) string {
	if strings.HasPrefix(name, "[") {
		if javanames.IsType(name) {
			return a.hashDescriptor(name)
		}
		return a.hashClass(name)
	}
	element := name
	for strings.HasSuffix(element, "[]") {
		element = strings.TrimSuffix(element, "[]")
	}
	if primitives[element] || element == "" {
		return name
	}
	return a.hashClass(element) + name[len(element):]
}

var primitives = map[string]bool{"void": true, "boolean": true, "byte": true, "char": true, "short": true,
	"int": true, "long": true, "float": true, "double": true}

func (a *Anonymizer) hashClass(name string) string {
	if a.keepsClass(name) {
		return name
	}
	a.mu.Lock()
	hashed, ok := a.known[name]
	a.mu.Unlock()
	if !ok {
		hashed = a.hashName(name)
		a.mu.Lock()
		a.known[name] = hashed
		a.mu.Unlock()
	}
	return hashed
}

// keepsClass reports whether a class keeps its name. The name of a hidden class contains its host, as in
// Foo$$Lambda@Bar#0. It stays if both names do.
func (a *Anonymizer) keepsClass(name string) bool {
	for part := range strings.SplitSeq(name, "@") {
		if !a.keepsName(part) {
			return false
		}
	}
	return true
}

// hashSignature hashes the classes in a signature, which is a descriptor or a list of parameters such as
// void(java.lang.String, int).
func (a *Anonymizer) hashSignature(text string) string {
	if strings.HasPrefix(text, "(") {
		if anonymous, ok := a.hashMethodDescriptor(text); ok {
			return anonymous
		}
	}
	before, rest, ok := strings.Cut(text, "(")
	parameters, after, ok2 := strings.Cut(rest, ")")
	if !ok || !ok2 || after != "" || strings.Contains(parameters, "(") {
		return a.hashName(text)
	}
	types := strings.Split(parameters, ",")
	for i, t := range types {
		name := strings.TrimLeft(t, " ")
		types[i] = t[:len(t)-len(name)] + a.hashTypeName(name)
	}
	return a.hashTypeName(before) + "(" + strings.Join(types, ",") + ")"
}

// hashMethodDescriptor hashes the classes in (parameters)return; ok is false for any other text.
func (a *Anonymizer) hashMethodDescriptor(text string) (anonymous string, ok bool) {
	parameters, result, ok := javanames.CutSignature(text)
	if !ok {
		return "", false
	}
	return "(" + lists.Join(parameters, "", a.hashDescriptor) + ")" + a.hashDescriptor(result), true
}

// hashDescriptor hashes the class in the valid descriptor of a type.
func (a *Anonymizer) hashDescriptor(of string) string {
	front, class, ok := strings.Cut(strings.TrimSuffix(of, ";"), "L")
	if !ok {
		return of
	}
	return front + "L" + a.hashClass(class) + ";"
}

func (a *Anonymizer) hashJamaica(text string) string {
	k := layout.Key{Name: text}.Split(layout.DomainJamaica)
	descriptor, ok := a.hashMethodDescriptor(k.Signature)
	if k.Class == "" || !ok {
		return a.hashName(text)
	}
	if !a.keepsClass(k.Class) {
		k.Name = a.hashMethod(k.Name)
	}
	return a.hashClass(k.Class) + "." + k.Name + descriptor
}
