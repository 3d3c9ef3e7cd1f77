import java.io.IOException;
import java.util.function.IntUnaryOperator;

/**
 * A program to adopt: its class Work has every kind of profile point. "train" runs it, "differ" runs it otherwise; "load" only loads it, so that its
 * MethodData stay as they were adopted, and one class more for a line of input. Both wait for the end of their input.
 */
public class Adopted {
    interface Shape { double area(); }
    record Square(double side) implements Shape { public double area() { return side * side; } }
    record Circle(double radius) implements Shape { public double area() { return 3 * radius * radius; } }
    record Line(double length) implements Shape { public double area() { return 0; } }

    static class Work {
        static double sum(Shape[] shapes) {
            double sum = 0;
            for (Shape s : shapes) sum += s.area();
            return sum;
        }

        static int branch(int i) { return i % 3 == 0 ? i + 1 : i % 5 == 0 ? i - 1 : i; }

        static int select(int i) {
            switch (i & 7) {
                case 0: return 1;
                case 1: return branch(i);
                case 2: case 3: return 3;
                default: return 4;
            }
        }

        static int lookup(int i) {
            switch (i % 100) {
                case 1: return 10;
                case 50: return 20;
                case 99: return 30;
                default: return 0;
            }
        }

        static int check(Object o) {
            if (o instanceof Square) return 1;
            return ((Shape) o).area() > 1 ? 2 : 3;
        }

        static void store(Object[] to, Object o) { to[0] = o; }

        static int apply(IntUnaryOperator f, int i) { return f.applyAsInt(i); }

        static int calls(int i) {
            int sum = 0;
            for (int k = 0; k < 3; k++) sum += branch(i + k) + Math.abs(k);
            return sum;
        }

        static int caught(int i) {
            try {
                return 10 / (i % 4);
            } catch (ArithmeticException e) {
                return -1;
            }
        }
    }

    static long train(int rounds) {
        Shape[] shapes = {new Line(2), new Square(1), new Square(3)};
        Object[] objects = new Object[1];
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += (long) Work.sum(shapes) + Work.select(i) + Work.lookup(i) + Work.check(i % 7 == 0 ? new Circle(i) : shapes[i % 3]) + Work.apply(x -> x + 1, i) + Work.caught(i) + Work.calls(i);
            Work.store(objects, shapes[i % 2]);
        }
        return sum;
    }

    /** Takes the branches of Work.branch the other way than train does. */
    static long differ(int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) sum += Work.branch(3 * i);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("train")) System.out.println(train(Integer.parseInt(args[1])));
        else if (args[0].equals("differ")) System.out.println(differ(Integer.parseInt(args[1])));
        else load("Square", "Work", "Circle");
        System.out.println("ready");
        if (System.in.read() >= 0) {
            load("Line");
            System.out.println("loaded");
        }
        while (System.in.read() >= 0) {}
    }

    static void load(String... names) throws ClassNotFoundException {
        for (String name : names) Class.forName("Adopted$" + name);
    }
}
