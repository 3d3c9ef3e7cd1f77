import java.util.function.IntUnaryOperator;

/** Runs long enough to be profiled, with bytecodes of every kind that HotSpot profiles. */
public class EveryKind {
  interface Shape { int area(); Object self(Object other); }

  record Square(int side) implements Shape {
    public int area() { return side * side; }
    public Object self(Object other) { return this; }
  }

  record Circle(int radius) implements Shape {
    public int area() { return 3 * radius * radius; }
    public Object self(Object other) { return other; }
  }

  record Strip(int length) implements Shape {
    public int area() { return length; }
    public Object self(Object other) { return length == 0 ? null : this; }
  }

  static class Größe {
    final int wert;
    Größe(int wert) { this.wert = wert; }
    synchronized int wert() { return wert; }
  }

  static int plusOne(int x) { return x + 1; }

  static String same(Object a, Object b) { return a == b ? "same" : "two\n"; }

  static final int everything(Shape[] shapes, Object[] sink, int i) {
    int sum = plusOne(i);
    Shape shape = shapes[i % shapes.length];
    if (i % 100 == 0) sum += 7; else sum -= 1;
    sum += shape.area();
    Object self = shape.self(shapes[0]);
    sum += same(self, shape).length();
    if (self instanceof Square) sum++;
    sink[i % sink.length] = self;
    Shape again = (Shape) self;
    switch (i & 7) { case 0: sum += 1; break; case 1: sum += 3; break; case 3: sum ^= 5; break; default: sum--; }
    switch (i % 1000) { case 5: sum += 1; break; case 500: sum += 3; break; default: sum--; }
    return again == null ? sum : sum + 1;
  }

  static int element(int[] a, int i) {
    try { return a[i]; } catch (ArrayIndexOutOfBoundsException e) { return -1; }
  }

  static int length(String s) {
    try { return s.length(); } catch (NullPointerException e) { return 0; }
  }

  static int arrays(Object o) {
    if (o instanceof int[] ints) return ints.length;
    if (o instanceof Object[] objects) return objects.length;
    return o.toString().length();
  }

  static int apply(IntUnaryOperator f, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += f.applyAsInt(i);
    return sum;
  }

  public static void main(String[] args) {
    Shape[] shapes = new Shape[10];
    for (int i = 0; i < 10; i++) shapes[i] = i < 7 ? new Square(i) : i < 9 ? new Circle(i) : new Strip(i - 9);
    Object[] sink = new Object[16], kinds = {new int[2], new int[1][1], new String[3], new Shape[1][2], "text"};
    int[] eight = new int[8];
    int n = 200_000, sum = 0;
    for (int i = 0; i < n; i++) {
      sum += everything(shapes, sink, i) + element(eight, i % 8) + length("z") + arrays(kinds[i % 5]) + new Größe(i).wert();
    }
    for (int i = 0; i < n; i++) sum += element(eight, i % 9) + length(i % 7 == 0 ? null : "z");
    int captured = sum;
    sum += apply(v -> v + captured, n) + apply(v -> v ^ captured, n);
    System.out.print(sum); // without an end of line: the VM goes on behind it
  }
}
