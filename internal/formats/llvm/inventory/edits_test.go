package inventory_test

// beforeC is a program whose functions are edited one by one.
const beforeC = `
#define KEEP __attribute__((noinline))
KEEP int plain(int x) { return x + 1; }
KEEP int branch(int x) { if (x > 3) return x * 2; return x; }
KEEP int loop(int x) { int t = 0; for (int i = 0; i < x; i++) t += i; return t; }
KEEP int nested(int x) { int t = 0; for (int i = 0; i < x; i++) if (i % 3) t += i; else t -= 1; return t; }
KEEP int choose(int x) { switch (x) { case 1: return 4; case 2: return 9; case 7: return 1; default: return x; } }
KEEP static int local(int x) { while (x > 5) x -= 2; return x; }
KEEP int calls(int x) { return plain(x) + branch(x) + local(x); }
int main(int c, char **v) {
	int t = 0;
	for (int i = 0; i < 100 * c; i++) t += calls(i) + loop(i % 9) + nested(i % 7) + choose(i % 8);
	return t == 7;
}
`

// editsOfC are changes of one or more functions: the old text and the new one.
var editsOfC = map[string][2]string{
	"nothing":            {"x + 1", "x + 1"},
	"constant":           {"x + 1", "x + 2"},
	"new branch":         {"x + 1", "x > 7 ? plain(x - 8) : x + 1"},
	"branch removed":     {"if (x > 3) return x * 2;", ""},
	"condition inverted": {"x > 3", "x <= 3"},
	"second branch":      {"if (x > 3) return x * 2;", "if (x > 3) return x * 2; if (x == 1) return 17;"},
	"loop removed":       {"for (int i = 0; i < x; i++) t += i;", "t = x;"},
	"loop added":         {"return x + 1;", "int t = 0; for (int i = 0; i < x % 5; i++) t += x * i; return t;"},
	"loop of two": {"i < x; i++) t += i; return",
		"i < x; i++) t += i; for (int j = 0; j < x; j++) t ^= j * t; return"},
	"early exit":    {"if (i % 3) t += i; else t -= 1;", "{ if (i == 5) break; if (i % 3) t += i; else t -= 1; }"},
	"case added":    {"case 7: return 1;", "case 7: return 1; case 5: return 12345; case 3: return x * x;"},
	"case removed":  {"case 7: return 1; ", ""},
	"renamed":       {"branch", "twig"},
	"local renamed": {"local", "inner"},
	"local global":  {"KEEP static int local", "KEEP int local"},
	"global local":  {"KEEP int loop", "KEEP static int loop"},
	"removed":       {" + choose(i % 8)", ""},
	"added":         {"int main(", "KEEP int extra(int x) { return x > 2 ? x : -x; }\nint main("},
	"added and called": {"int main(", "KEEP int extra(int x) { return x > 2 ? plain(x) : -x; }\n" +
		"int other(int x) { return extra(x); }\nint main("},
	"signature":    {"loop(int x)", "loop(long x)"},
	"call added":   {"plain(x) + branch(x)", "plain(x) + plain(x + 1) + branch(x)"},
	"loop in main": {"int t = 0;\n\tfor", "int t = 0;\n\tfor (int i = 0; i < c; i++) t ^= choose(i);\n\tfor"},
}

// beforeCPP is a program with templates, inline functions, methods, lambdas and local functions.
const beforeCPP = `
#define KEEP __attribute__((noinline))
namespace shop {
template <class T> KEEP T scale(T x) { return x > T(3) ? x * T(2) : x; }
inline KEEP int tax(int x) { int t = 0; for (int i = 0; i < x; i++) t += i % 5; return t; }
struct Item {
	int n;
	KEEP Item(int n) : n(n > 2 ? n : 2) {}
	KEEP virtual ~Item() { if (n > 40) n = 0; }
	KEEP virtual int price() { return n > 9 ? n * 3 : n; }
	KEEP int count(int x) const { while (x > n) x -= n; return x; }
};
struct Sale : Item {
	KEEP Sale(int n) : Item(n) {}
	KEEP int price() override { return n % 2 ? n : n / 2; }
};
KEEP bool operator<(const Item &a, const Item &b) { return a.n < b.n; }
}
namespace { KEEP int hidden(int x) { return x % 3 ? x : -x; } }
KEEP static int each(int n, int (*f)(int)) { int t = 0; for (int i = 0; i < n; i++) t += f(i); return t; }
int main(int c, char **v) {
	int t = 0;
	for (int i = 0; i < 100 * c; i++) {
		shop::Item a(i % 7);
		shop::Sale b(i % 11);
		shop::Item *p = i % 3 ? &a : &b;
		t += p->price() + a.count(i) + (a < b) + shop::tax(i % 9) + hidden(i) + shop::scale<int>(i);
		t += int(shop::scale<double>(i)) + each(i % 4, [](int x) { return x > 1 ? x : 1; });
	}
	return t == 7;
}
`

var editsOfCPP = map[string][2]string{
	"nothing":            {"x % 3", "x % 3"},
	"template changed":   {"x > T(3) ? x * T(2) : x", "x > T(3) ? x * T(2) : x < T(0) ? -x : x"},
	"template argument":  {"scale<double>", "scale<long>"},
	"template parameter": {"template <class T> KEEP T scale", "template <class T, int N = 2> KEEP T scale"},
	"template renamed":   {"scale", "resize"},
	"inline changed": {"for (int i = 0; i < x; i++) t += i % 5;",
		"for (int i = 0; i < x; i++) if (i % 2) t += i % 5;"},
	"inline out of line": {"inline KEEP int tax", "KEEP int tax"},
	"constructor": {": n(n > 2 ? n : 2) {}",
		": n(n) { if (n < 2) this->n = 2; for (int i = 0; i < n; i++) this->n ^= i; }"},
	"destructor":        {"if (n > 40) n = 0;", "n = 0;"},
	"override removed":  {"KEEP int price() override { return n % 2 ? n : n / 2; }", ""},
	"override renamed":  {"price", "cost"},
	"const removed":     {"count(int x) const", "count(int x)"},
	"parameter type":    {"count(int x)", "count(long x)"},
	"default parameter": {"tax(int x)", "tax(int x, int y = 2)"},
	"loop of a method":  {"while (x > n) x -= n;", "x %= n + 1;"},
	"operator":          {"return a.n < b.n;", "return a.n < b.n || (a.n == b.n && &a < &b);"},
	"namespace renamed": {"shop", "store"},
	"namespace added": {"namespace { KEEP",
		"namespace more { KEEP int other(int x) { return x ? 1 : 2; } }\nnamespace { KEEP"},
	"local to global": {"namespace { KEEP int hidden(int x) { return x % 3 ? x : -x; } }",
		"KEEP int hidden(int x) { return x % 3 ? x : -x; }"},
	"lambda changed":        {"return x > 1 ? x : 1;", "for (int j = 0; j < 3; j++) x ^= j; return x;"},
	"lambda before another": {"int t = 0;\n\tfor", "int t = each(2, [](int x) { return x ? x : 4; });\n\tfor"},
	"callback type":         {"int (*f)(int)", "int (*const &f)(int)"},
	"exception":             {"return n > 9 ? n * 3 : n;", "if (n < 0) throw n; return n > 9 ? n * 3 : n;"},
	"body of main":          {"t += p->price()", "if (i % 5 == 1) continue; t += p->price()"},
}
