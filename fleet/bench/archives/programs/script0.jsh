int n = Integer.getInteger("n")
record Point(int x, int y) {}
var points = new java.util.ArrayList<Point>()
for (int i = 0; i < 20_000; i++) points.add(new Point(i * 7919 % 1013, i % (n + 2)))
points.stream().filter(p -> p.x() > p.y()).mapToInt(Point::x).sum()
/exit
