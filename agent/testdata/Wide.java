/**
 * A program whose calls and checks have other types in each run: those of the letters that follow "train". "load" loads its classes, and runs
 * none of Work. It waits for the end of its input.
 */
public class Wide {
    interface Shape { int area(); }
    record A(int side) implements Shape { public int area() { return side; } }
    record B(int side) implements Shape { public int area() { return 2 * side; } }
    record C(int side) implements Shape { public int area() { return 3 * side; } }
    record D(int side) implements Shape { public int area() { return 4 * side; } }

    static class Work {
        static int call(Shape s) { return s.area(); }
        static int check(Object o) { return o instanceof A a ? a.side : 0; }
        static void store(Object[] to, Object o) { to[0] = o; }
        static Shape cast(Object o) { return (Shape) o; }
        static int several(Shape s, int i) { return i % 2 == 0 ? s.area() + 1 : s.hashCode() & 1; }
    }

    static int train(String letters) {
        Shape[] all = {new A(1), new B(2), new C(3), new D(4)};
        Object[] to = new Shape[1];
        int sum = 0;
        for (int i = 0; i < 20000; i++) {
            Shape s = all[letters.charAt(i % letters.length()) - 'a'];
            Work.store(to, s);
            sum += Work.call(s) + Work.check(s) + Work.cast(s).area() + Work.several(s, i);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Object[] array = new Shape[0]; // classes of arrays are seen when a class is prepared
        if (args[0].equals("train")) System.out.println(train(args[1]));
        else for (String name : new String[] {"A", "B", "C", "D", "Work"}) Class.forName("Wide$" + name);
        System.out.println("ready");
        while (System.in.read() >= 0) {}
    }
}
