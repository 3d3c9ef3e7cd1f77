/** Calls that C2 inlines: nested ones, and one of two receivers. */
public class Inline {
    interface Shape { int area(int i); }

    static class Square implements Shape {
        public int area(int i) { return i * i; }
    }

    static class Strip implements Shape {
        public int area(int i) { return twice(i); }

        static int twice(int i) { return 2 * i; }
    }

    static int total(Shape[] shapes, int i) { return shapes[i & 1].area(i); }

    public static void main(String[] args) throws Exception {
        Shape[] shapes = {new Square(), new Strip()};
        int sum = 0;
        for (int i = 0; i < 200_000; i++) sum += total(shapes, i);
        System.out.println(sum == 0 ? "" : "ready");
        System.in.read();
    }
}
