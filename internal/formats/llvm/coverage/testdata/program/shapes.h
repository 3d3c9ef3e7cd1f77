#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#define CHECK(condition, what) \
  do {                         \
    if (!(condition))          \
      throw std::runtime_error(what); \
  } while (0)
#define BIGGER(a, b) ((a) > (b) ? (a) : (b))
#define BIGGEST(a, b, c) BIGGER(BIGGER(a, b), c)

template <typename T>
T clamp(T value, T low, T high) {
  if (value < low) return low;
  if (value > high)
    return high;
  return value;
}

template <typename T, int N>
struct Ring {
  T items[N] = {};
  int next = 0;
  void push(const T& item) {
    items[next] = item;
    next = next + 1 == N ? 0 : next + 1;
  }
  template <typename F>
  void each(F f) const {
    for (const T& item : items)
      f(item);
  }
};

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual bool isRound() const { return false; }
};

struct Square : Shape {
  explicit Square(double side) : side(side) { CHECK(side >= 0, "negative side"); }
  double area() const override { return side * side; }
  double side;
};

struct Circle : Shape {
  explicit Circle(double radius) : radius(radius) {}
  double area() const override { return 3.14159 * radius * radius; }
  bool isRound() const override { return true; }
  double radius = 1;
};

inline int unusedInline(int x) {
  if (x > 1) return 2;
  return 3;
}

inline int sharedInline(int x) {
  static int calls = 0;
  return x > 10 && ++calls % 2 == 0 ? calls
                                    : x;
}

static int sameNameInBoth(int x) { return x < 3 ? x : -x; }

constexpr int cube(int x) { return x * x * x; }

int parse(const std::string& text);
long mix(const std::vector<Shape*>& shapes);
extern "C" int states(const char* text);
