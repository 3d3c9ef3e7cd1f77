import java.io.IOException;

/**
 * A program whose methods are compiled in a known order. "train" runs them one after the other. "run" runs each so often that the VM
 * compiles it with C1 and not with C2, and initialises a class that training had as a receiver for a line of input. Both wait for the end of it.
 */
public class Ordered {
    abstract static class Shape { abstract int area(int i); }

    static class Early extends Shape { int area(int i) { return i + 1; } }

    static class Late extends Shape {
        static { System.out.println("initializing"); }
        int area(int i) { return i * 3; }
    }

    /** Methods too long for C1 to inline. */
    static class Work {
        static int a(Shape s, int i) { return s.area(i) + s.area(i + 1) * 3 + s.area(i + 2) * 5 + (s.area(i + 3) ^ 1); }
        static int b(Shape s, int i) { return s.area(i) + s.area(i + 1) * 3 + s.area(i + 2) * 5 + (s.area(i + 3) ^ 2); }
        static int c(Shape s, int i) { return s.area(i) + s.area(i + 1) * 3 + s.area(i + 2) * 5 + (s.area(i + 3) ^ 3); }
        static int d(Shape s, int i) { return s.area(i) + s.area(i + 1) * 3 + s.area(i + 2) * 5 + (s.area(i + 3) ^ 4); }
        static int e(Shape s, int i) { return s.area(i) + s.area(i + 1) * 3 + s.area(i + 2) * 5 + (s.area(i + 3) ^ 5); }
        static int f(Shape s, int i) { return s.area(i) + s.area(i + 1) * 3 + s.area(i + 2) * 5 + (s.area(i + 3) ^ 6); }
    }

    /** Calls a method from the interpreter, if the VM is told to exclude this one from compilation. */
    static int repeat(char method, Shape[] shapes, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Shape s = shapes[i % shapes.length];
            switch (method) {
                case 'a': sum += Work.a(s, i); break;
                case 'b': sum += Work.b(s, i); break;
                case 'c': sum += Work.c(s, i); break;
                case 'd': sum += Work.d(s, i); break;
                case 'e': sum += Work.e(s, i); break;
                default: sum += Work.f(s, i);
            }
        }
        return sum;
    }

    public static void main(String[] args) throws IOException {
        boolean trains = args[0].equals("train");
        Shape[] shapes = trains ? new Shape[] {new Early(), new Late()} : new Shape[] {new Early()};
        int sum = 0;
        for (char c = 'a'; c <= 'f'; c++) sum += repeat(c, shapes, trains ? 10000 : 1500);
        System.out.println("sum " + sum);
        System.out.println("ready");
        if (System.in.read() >= 0) new Late();
        while (System.in.read() >= 0) {}
    }
}
