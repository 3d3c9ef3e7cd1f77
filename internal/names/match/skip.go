package match

import (
	"strings"

	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

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
