/* A machine in the manner of old C. */
#include <stddef.h>

#define isalpha(c) ((c) >= 'a' && (c) <= 'z' || (c) >= 'A' && (c) <= 'Z')
#define isdigit(c) ((c) >= '0' && (c) <= '9')
#define NEXT(s) { state = (s); continue; }
#define TABLE(X) X(start, 0) X(word, 1) X(number, 2)
#define ENUMERATE(name, value) in_##name = value,
enum state { TABLE(ENUMERATE) };

static unsigned sum(const unsigned char *p, size_t n)
{
	unsigned s1 = 1, s2 = 0;
	if (n == 0)
		return 0;
#define DO1(i) { s1 += p[i]; s2 += s1; }
#define DO2(i) DO1(i) DO1(i + 1)
#define DO4(i) DO2(i) DO2(i + 2)
	while (n >= 4) {
		DO4(0) p += 4;
		n -= 4;
	}
	switch (n) {
	case 3:
		DO1(2)
	case 2:
		DO1(1)
	case 1: DO1(0)
	}
	return s2 << 16 | s1;
}

int states(const char *text)
{
	enum state state = in_start;
	int tokens = 0; size_t n;
#define TWICE(x) (2 * (x))
	int weights[] = {
		TWICE(1),  /* of the start */
		TWICE(2),  /* of words */
		TWICE(1)   /* of numbers */
	};
	for (n = 0; text[n]; n++) {
		int c = (unsigned char)text[n];
		if (state == in_start) {
			if (isalpha(c)) NEXT(in_word)
			if (isdigit(c)) NEXT(in_number)
			if (c == '?') goto bad;
		} else if ((state == in_word && isalpha(c)) ||
			   (state == in_number && isdigit(c))) {
			;
		} else {
			tokens += weights[state] / 2;
			NEXT(in_start)
		}
	}
	if (0)
		tokens = 0;
	/* what follows is code */ if (tokens < 0)
		tokens = 0;
	return tokens + (int)(sum((const unsigned char *)text, n) & 7);
bad:
	for (;;)
		if (tokens++ > 2)
			break;
	return -tokens;
}

#ifdef UNUSED
static inline int nobody(int x)
{
	return x ? 1 : 2;
}
#endif

#ifdef ALONE
int main(void)
{
	return states("ab1 c22;d") + states("") + states("\n\n?") == 99;
}
#endif
