import java.util.function.IntUnaryOperator;

/** A program whose methods have profile entries of most kinds. */
public class Shapes {
    interface Shape {
        int area();
    }

    static final class Square implements Shape {
        final int side;

        Square(int side) {
            this.side = side;
        }

        public int area() {
            return side * side;
        }
    }

    static final class Circle implements Shape {
        final int radius;

        Circle(int radius) {
            this.radius = radius;
        }

        public int area() {
            return 3 * radius * radius;
        }
    }

    static final class Triangle implements Shape {
        final int base;

        Triangle(int base) {
            this.base = base;
        }

        public int area() {
            return base * base / 2;
        }
    }

    static int rare(int x) {
        return Integer.bitCount(x) * 31;
    }

    /** In training the branch is never taken, and the receiver is always a Square. */
    static int hot(Shape s, int i) {
        int t = 0;
        if (i < 0) {
            t += rare(i);
        }
        t += s.area();
        return t;
    }

    static int größe(Object[] sink, Object o, int i, String name) {
        int t = 0;
        try {
            if (o instanceof Square) {
                t++;
            }
            sink[i % sink.length] = o;
            t += ((Shape) o).area();
            switch (i & 7) {
                case 0: t += 1; break;
                case 1: t += 3; break;
                case 3: t ^= 5; break;
                default: t--;
            }
            t += name.length();
            if (i % 4096 == 5) {
                throw new IllegalStateException("every now and then");
            }
        } catch (IllegalStateException e) {
            t += 7;
        } finally {
            t++;
        }
        return t;
    }

    static int drive(IntUnaryOperator f, int n) {
        int x = 0;
        for (int i = 0; i < n; i++) {
            x += f.applyAsInt(i);
        }
        return x;
    }

    static int element(int[] a, int i) {
        try {
            return a[i];
        } catch (ArrayIndexOutOfBoundsException e) {
            return -1;
        }
    }

    static final String MOTTO = new String("a \"quoted\" motto");

    public static void main(String[] args) {
        Shape q = new Square(3);
        int x = new Circle(2).area() + new Triangle(4).area() + MOTTO.length();
        for (int i = 0; i < 20000; i++) {
            x += hot(q, i);
        }
        Object[] sink = new Object[16];
        Shape[] all = {q, new Circle(1), q, q, new Triangle(3), q};
        for (int i = 0; i < 20000; i++) {
            x += größe(sink, all[i % all.length], i, "größe");
        }
        int k = x;
        for (int j = 0; j < 8000; j++) {
            x += drive(v -> v + k, 10);
        }
        int[] a = new int[8];
        for (int i = 0; i < 20000; i++) {
            x += element(a, i % 8);
        }
        for (int i = 0; i < 20000; i++) {
            x += element(a, i % 9);
        }
        System.out.println(x);
    }
}
