#include "shapes.h"

int parse(const std::string& text) {
  CHECK(!text.empty(), "empty");
  size_t at = text[0] == '-' ? 1 : 0; int n = 0;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c < '0' || c > '9')
      throw std::invalid_argument("not a digit");
    n = n * 10 + (c - '0');
  }
  return text[0] == '-' ? -n : n;
}

long mix(const std::vector<Shape*>& shapes) {
  double sum = 0;
  Ring<double, 2> last;
  for (Shape* s : shapes) {
    double area = clamp(s->area(), 1.0, 10.0);
    last.push(area);
    sum += s->isRound() ? area : area / 2;
  }
  last.each([&sum](double x) { sum += x; });
  return long(sum) + sharedInline(20) + sharedInline(30) + sameNameInBoth(1) + sameNameInBoth(2);
}
