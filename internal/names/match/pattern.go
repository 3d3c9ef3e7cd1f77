// Package match decides which names a text selects, for the filters of all commands and the searches of all pages.
package match

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// Help says in help texts what a pattern is.
const Help = "part of a name as any command prints it, a glob with * and ? of a whole name, or /REGEXP/"

// A Pattern selects names as users type them. Text selects the names that contain it. With * (any text) or ? (any
// character) it is also a glob for whole names, and between slashes a regular expression. The zero Pattern selects all.
type Pattern struct {
	typed    string
	readings []string       // what typed can mean: itself, and without quotes, escapes, access flags
	plain    []string       // readings in the form of display.PlainName
	cut      *regexp.Regexp // names that a terminal shortens to typed; nil if typed is not shortened
	expr     *regexp.Regexp // nil if typed is no regular expression
	exprErr  error
	verbatim string // see verbatimWord; "" for patterns that are not only text
}

// New returns the Pattern for a text that a user typed. A malformed regular expression only selects names that contain
// its text; see Pattern.Err.
func New(typed string) Pattern {
	p := newPattern(typed, readings(typed))
	if n := len(typed); n > 2 && typed[0] == '/' && typed[n-1] == '/' {
		p.expr, p.exprErr = regexp.Compile(typed[1 : n-1])
	}
	if p.OnlyContained() && len(p.readings) == 1 {
		p.verbatim = verbatimWord(typed)
	}
	return p
}

// Folded is New for names that Fold returns. It ignores case. Signs of a regular expression also make one of a text
// without slashes.
func Folded(typed string) Pattern {
	p := newPattern(typed, lists.Map(readings(typed), Fold))
	expr := typed
	slashed := len(typed) > 2 && typed[0] == '/' && typed[len(typed)-1] == '/'
	if slashed {
		expr = typed[1 : len(typed)-1]
	}
	if slashed || signs().MatchString(typed) {
		expr = strings.NewReplacer(", ", ",", "::", `[.]`, "/", `[.]`, `\$`, `[.]`).Replace(expr)
		p.expr, p.exprErr = regexp.Compile("(?i)" + expr)
	}
	if !slashed {
		p.exprErr = nil // an operator of C++, for example
	}
	return p
}

// signs matches text that Folded takes for a regular expression too, without slashes.
var signs = lazyregexp.New(`[|^\\]|[.)][*+]|.\$$`)

// Fold returns a name in lower case and in the form of display.PlainName.
func Fold(name string) string { return strings.ToLower(display.PlainName(name)) }

func newPattern(typed string, readings []string) Pattern {
	p := Pattern{typed: typed, readings: readings}
	for _, r := range p.readings {
		p.plain = append(p.plain, display.PlainName(r))
	}
	p.cut = shortened(readings[len(readings)-1])
	return p
}

// Readings returns the texts that a pattern can mean: the one typed, and what it says without quotes and escapes.
func (p *Pattern) Readings() []string { return p.readings }

// OnlyContained reports whether the pattern selects only the names that contain a reading.
func (p *Pattern) OnlyContained() bool {
	return p.expr == nil && p.cut == nil && !strings.ContainsAny(p.typed, "*?")
}

// Text returns the pattern as typed.
func (p *Pattern) Text() string { return p.typed }

// IsEmpty reports whether the pattern selects all names.
func (p *Pattern) IsEmpty() bool { return p.typed == "" }

// Err returns why a text between slashes is no regular expression.
func (p *Pattern) Err() error { return p.exprErr }

// Matches reports whether the pattern selects a name.
func (p *Pattern) Matches(name string) bool {
	return p.typed == "" || p.contained(name) || p.MatchesWhole(name)
}

// MatchesWhole is Matches for a pattern that text must equal, not only be a part of.
func (p *Pattern) MatchesWhole(name string) bool {
	if p.equals(name) {
		return true
	}
	for i, r := range p.readings {
		if strings.ContainsAny(r, "*?") && (Glob(r, name) || Glob(p.plain[i], display.PlainName(name))) {
			return true
		}
	}
	return p.expr != nil && p.expr.MatchString(name) || p.cut != nil && p.cut.MatchString(name)
}

func (p *Pattern) equals(name string) bool {
	name = p.replaceInvalid(name)
	return slices.Contains(p.readings, name) || slices.Contains(p.plain, display.PlainName(name))
}

// replaceInvalid replaces invalid bytes of a name, as decoders of JSON do, if the pattern has such a replacement.
func (p *Pattern) replaceInvalid(name string) string {
	if strings.ContainsRune(p.typed, utf8.RuneError) {
		return string([]rune(name))
	}
	return name
}

func (p *Pattern) contained(name string) bool {
	name = p.replaceInvalid(name)
	plain := ""
	for i, r := range p.readings {
		if strings.Contains(name, r) {
			return true
		}
		if plain == "" {
			plain = display.PlainName(name)
		}
		if p.plain[i] != "." && strings.Contains(plain, p.plain[i]) {
			return true
		}
	}
	return false
}

// readings returns a text, then what it says if a command printed it with quotes, escapes or access flags.
func readings(typed string) []string {
	all := []string{typed}
	for _, reading := range []func(string) string{unquoted, unescaped, display.WithoutAccess} {
		if r := reading(all[len(all)-1]); r != all[len(all)-1] && r != "" {
			all = append(all, r)
		}
	}
	return all
}

// unquoted undoes escape.Printable, also of a name before its loader or mark.
func unquoted(text string) string {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && len(quoted) == len(text) {
		if r, err := strconv.Unquote(quoted); err == nil {
			return r
		}
	}
	return text
}

// unescaped undoes the escapes of escape.Writer and of JSON, \uXXXX.
func unescaped(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	var out []byte
	for rest := text; rest != ""; {
		unit, ok := escapedUnit(rest)
		low, pair := escapedUnit(rest[min(len(rest), len(escaped)):])
		switch {
		case !ok:
			out = append(out, rest[0])
			rest = rest[1:]
			continue
		case unit>>10 == 0xd800>>10 && pair && low>>10 == 0xdc00>>10:
			unit = 0x10000 + (unit&0x3ff)<<10 + low&0x3ff
			rest = rest[len(escaped):]
			out = utf8.AppendRune(out, unit)
		case unit>>8 == 0xdc:
			out = append(out, byte(unit))
		default:
			out = utf8.AppendRune(out, unit)
		}
		rest = rest[len(escaped):]
	}
	return string(out)
}

const escaped = `\u0000`

func escapedUnit(text string) (unit rune, ok bool) {
	if len(text) < len(escaped) || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:len(escaped)], 16, 16)
	return rune(n), err == nil
}

var (
	omitted = lazyregexp.New(`…|\.{3,}(\(\d+ bytes\)\.\.\.)?`)
	initial = lazyregexp.New(`\b([a-z_])\.`)
)

// shortened returns an expression for the names that a terminal or an output shortens to a text. It has an ellipsis, or
// the first letters of packages. It returns nil for other texts.
func shortened(text string) *regexp.Regexp {
	ellipses := omitted().FindAllStringIndex(text, -1)
	if len(ellipses) == 0 && !initial().MatchString(text) {
		return nil
	}
	expr := strings.Builder{}
	at := 0
	for _, e := range append(ellipses, []int{len(text), len(text)}) {
		for part := text[at:e[0]]; part != ""; {
			i := initial().FindStringIndex(part)
			if i == nil {
				expr.WriteString(regexp.QuoteMeta(part))
				break
			}
			expr.WriteString(regexp.QuoteMeta(part[:i[0]+1]) + `[a-z0-9_]*[./]`)
			part = part[i[1]:]
		}
		if e[0] < e[1] {
			expr.WriteString(`(?s:.*)`)
		}
		at = e[1]
	}
	cut, err := regexp.Compile("^" + expr.String() + "$")
	if err != nil { // too large
		return nil
	}
	return cut
}

// Glob reports whether a glob matches the whole name. It backtracks only to the last *, so it takes at most
// len(pattern) * len(name) steps.
func Glob(pattern, name string) bool {
	star, from := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, size := utf8.DecodeRuneInString(name[n:])
			p++
			n += size
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			from++
			p = star + 1
			n = from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// demanglerWords has the words of at least shortestWord letters that a demangler writes by itself.
const demanglerWords = `ABCDEF Class Ua9enable_ifI _Accum _BitInt _Complex _Float _Fract _GLOBAL_ _Imaginary _Sat
___Z __alignof__ __alloc_token_ __float128 __int128 __uuidof __vector _block_invoke alias allocator anonymous argument
auto basic_iostream basic_istream basic_ostream basic_string bfloat16_t bits bool call char16_t char32_t char8_t
char_traits class clone closure co_await code const_cast construction constructors covariant decimal128 decimal32
decimal64 decltype default delete destructors discriminator double dynamic_cast else enable_if enum escape expected
extern false float friend function global guard half hidden i128 index initialization initializer invalid invocation
iostream isize java keyed lambda length less level literal local long missing module namespace negative noexcept
nullptr_t object offset operator pack parameter parm positive range reference reinterpret_cast requires resource
restrict return routine scope shim short sizeof static_cast string struct substituted substitution template_template
temporary than this thread throw thunk transaction_safe true typeid typeinfo typename u128 union unnamed unrecognized
unsafe unsigned usize variable vector virtual void volatile vtable wchar_t wrapper`

const shortestWord = 4

var (
	word = lazyregexp.New(`[A-Za-z_][A-Za-z0-9_]*`)
	// decoded matches names of C++ and Rust with characters or hexadecimal numbers that a demangler decodes.
	decoded = lazyregexp.New(`lA\d+_|[$]u|_R.*(u\d|[0-9a-f]{17})`)
)

// verbatimWord returns the longest word in a text, which every name whose spelling has it contains as it is. It returns
// "" if a demangler can write the word, perhaps before a number.
func verbatimWord(text string) (longest string) {
	for _, w := range word().FindAllString(text, -1) {
		if len(w) > len(longest) && len(w) >= shortestWord &&
			!strings.Contains(demanglerWords, strings.TrimRight(w, "0123456789x")) {
			longest = w
		}
	}
	return longest
}

// excludes reports whether a function's linker name alone proves that the pattern matches none of its forms.
func (p *Pattern) excludes(d layout.Domain, k layout.Key) bool {
	return p.verbatim != "" && hasOnlyName(d, k) && !strings.Contains(k.Name, p.verbatim) &&
		!hasDecoded(k.Name)
}

// hasDecoded reports whether decoded matches a name. Most names lack what decoded begins with, which is faster to find.
func hasDecoded(name string) bool {
	return (strings.Contains(name, "lA") || strings.Contains(name, "$u") || strings.Contains(name, "_R")) &&
		decoded().MatchString(name)
}

func hasOnlyName(d layout.Domain, k layout.Key) bool {
	return (d.LLVM() || d == layout.DomainSampled) && k.Class == "" && k.Signature == ""
}
