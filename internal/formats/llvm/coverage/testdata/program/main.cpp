#include "shapes.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {
struct Guard {
  int& depth;
  explicit Guard(int& d) : depth(d) { ++depth; }
  ~Guard() { --depth; }
};

int nested(int n, int& depth) {
  Guard guard(depth);
  if (n == 0)
    return depth;
  else if (n % 3 == 0)
    return nested(n - 1, depth) + 1;
  else {
    int r = nested(n - 1, depth);
    if (r > 100)
      goto out;
    r += 2;
  out:
    return r;
  }
}

int neverCalled(int x) {
  while (x > 0) {
    x -= BIGGER(1, x / 2);
  }
  return x;
}
}  // namespace

enum class Colour { red, green, blue };

static const char* nameOf(Colour c) {
  switch (c) {
    case Colour::red:
      return "red";
    case Colour::green: {
      return "green";
    }
    default:
      break;
  }
  return "other";
}

static int fallThrough(int x) {
  int n = 0;
  switch (x) {
    case 1: n++;
    case 2: n++;
      // falls through
    case 3:
      n += BIGGEST(n, x, 2); break;
    case 7 ... 9:
      for (;;) {
        if (n++ > 3) break;
        if (n == 2) continue;
      }
      break;
    default:
      if (x < 0) return -1;
  }
  return n;
}

static int conditions(int a, int b, int c) {
  int n = 0;
  if (a > 0 && b > 0 && c > 0) n |= 1;
  if ((a > 0 || b > 0) && (c > 0 ||
                           a == b))
    n |= 2;
  n += a ? b ? 1 : 2 : c ? 3 : 4;
  bool both = a && b, either = a || b || c;
  if (both && !either) n |= 4; else n |= 8;
  if (false) { n = 99; }
  do { n++; } while (n < 4 && a);
#if defined(EXTRA) && \
    EXTRA > 1
  n += EXTRA;
#else
  n += 1;
#endif
#ifdef EXTRA
  if (n) { n++;
#else
  if (n) { n--;
#endif
  }
  return n;
}

#define DEFINE_ADDER(name, by) \
  static int name(int x) {     \
    if (x > by) return x - by; \
    return x + by;             \
  }
DEFINE_ADDER(addTwo, 2)
DEFINE_ADDER(addTen, 10)

static int early(int x) { if (x > 5) { return 1; } if (x > 3) return 2;
  int y = x; while (y-- > 0) if (y == 1) break;
  return y; }

static int caught(const std::string& text) {
  try {
    int n = parse(text);
    if (n > 50) throw n;
    return n;
  } catch (const std::exception& e) {
    return -1;
  } catch (int n) {
    return n * 2;
  }
}

static int lambdas(const std::vector<int>& list) {
  int sum = 0;
  auto add = [&sum](int x) { sum += x; };
  auto never = [](int x) {
    return x + 1;
  };
  (void)never;
  std::for_each(list.begin(), list.end(), add);
  auto generic = [](auto a, auto b) {
    if (a < b)
      return 1;
    return 0;
  };
  sum += generic(1, 2) + generic(2.0, 1.0);
  int odd = std::count_if(list.begin(), list.end(), [](int x) { return x % 2; });
  return sum + odd;
}

struct Defaults {
  int a = BIGGER(1, 2);
  int b = [] { return 4; }();
  Defaults() = default;
  explicit Defaults(int x)
      : a(x ? x : 3),
        b(x) {
  }
};

[[noreturn]] static void fail(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::exit(3);
}

int main(int argc, char** argv) {
  int depth = 0;
  long total = nested(20, depth) + cube(argc);
  if (total < 0) fail("negative");
  for (int i = -2; i < 12; i++) {
    total += fallThrough(i) + conditions(i & 1, i & 2, i & 4) + early(i);
    total += sharedInline(i) + sameNameInBoth(i) + addTwo(i) + addTen(i);
    total += clamp(i, 0, 5) + int(clamp(i * 0.5, 0.0, 1.5));
  }
  for (Colour c : {Colour::red, Colour::blue, Colour::red})
    total += nameOf(c)[0];
  for (const char* text : {"12", "99", "x", "-4", ""})
    total += caught(text);
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(2));
  shapes.push_back(std::make_unique<Circle>(3));
  try {
    shapes.push_back(std::make_unique<Square>(-1));
  } catch (...) {
    total++;
  }
  std::vector<Shape*> plain;
  for (auto& s : shapes) plain.push_back(s.get());
  total += mix(plain) + lambdas({1, 2, 3, 5});
  Ring<int, 3> ring;
  Ring<char, 2> letters;
  for (int i = 0; i < 4000; i++) ring.push(i);
  letters.push('a');
  ring.each([&](int x) { total += x; });
  letters.each([&](char c) {
    if (c)
      total += c;
  });
  total += Defaults().a + Defaults(0).a + Defaults(5).b;
  total += states("ab1 c22;d") + states("") + states("\n\n?");
  std::printf("%ld\n", total);
  return total == 0 ? 1 : 0;
}
