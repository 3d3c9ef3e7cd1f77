import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * A program that behaves otherwise than in training: "train" gives its methods one kind of data, "differ" another, "turn" first the one and then the other.
 * It prints the processor time of each unit of work in its thread, in microseconds, then the sum of what it computed. Without a number of units it works
 * until it has input, and says when it is ready.
 */
public class Settle {
    interface Shape { int area(int i); }
    record A(int x) implements Shape { public int area(int i) { return x * i; } }
    record B(int x) implements Shape { public int area(int i) { return x + i; } }
    record C(int x) implements Shape { public int area(int i) { return x ^ i; } }
    record D(int x) implements Shape { public int area(int i) { return x - i; } }

    /** One receiver in training, one other or two others later. */
    static int one(Shape[] shapes, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += shapes[i & 3].area(i);
        return sum;
    }

    static int oneThenTwo(Shape[] shapes, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += shapes[i & 3].area(i);
        return sum;
    }

    /** Two receivers in training, one or two others later. */
    static int twoThenOne(Shape[] shapes, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += shapes[i & 3].area(i);
        return sum;
    }

    static int two(Shape[] shapes, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += shapes[i & 3].area(i);
        return sum;
    }

    /** Calls a method that no class overrides. */
    static int bound(A a, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += a.area(i);
        return sum;
    }

    /** Takes one side of each branch in training, the other one later. */
    static int branches(int[] values, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int v = values[i & 3];
            if (v > 0) sum += v * i;
            else if (v < -10) sum -= v ^ i;
            else sum += v - i;
        }
        return sum;
    }

    static int choose(int v, int i) {
        switch (v) {
            case 0: return i;
            case 1: return i * 3;
            case 2: return i ^ 5;
            default: return -i;
        }
    }

    static int switches(int[] values, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += choose(values[i & 3] & 3, i);
        return sum;
    }

    static int checks(Object[] objects, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Object o = objects[i & 3];
            if (o instanceof Shape) sum += ((Shape) o).area(i);
            else sum += ((String) o).length();
        }
        return sum;
    }

    static Shape[] of(Shape a, Shape b) { return new Shape[] {a, b, a, b}; }

    final Shape[] one, oneThenTwo, twoThenOne, two;
    final Object[] objects;
    final int[] values;
    final A bound = new A(5);

    Settle(boolean differ) {
        Shape a = new A(1), b = new B(2), c = new C(3), d = new D(4);
        one = differ ? of(b, b) : of(a, a);
        oneThenTwo = differ ? of(b, c) : of(a, a);
        twoThenOne = differ ? of(c, c) : of(a, b);
        two = differ ? of(c, d) : of(a, b);
        objects = differ ? new Object[] {c, "four", d, "three"} : new Object[] {a, b, a, b};
        values = differ ? new int[] {-1, -20, -3, -40} : new int[] {1, 5, 9, 13};
    }

    int unit() {
        int sum = 0;
        for (int i = 0; i < 500; i++)
            sum += one(one, 100) + oneThenTwo(oneThenTwo, 100) + twoThenOne(twoThenOne, 100) + two(two, 100) + bound(bound, 100) + branches(values, 100) + switches(values, 100) + checks(objects, 100);
        return sum;
    }

    static int measure(Settle[] of, int units) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long[] times = new long[units];
        int sum = 0;
        for (int i = 0; i < units; i++) {
            long begun = clock.getCurrentThreadCpuTime();
            sum += of[i * of.length / units].unit();
            times[i] = (clock.getCurrentThreadCpuTime() - begun) / 1000;
        }
        System.out.println(Arrays.toString(times));
        return sum;
    }

    static int untilInput(Settle s) throws Exception {
        int sum = s.unit();
        System.out.println("ready");
        while (System.in.available() == 0) sum += s.unit();
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Settle train = new Settle(false), differ = new Settle(true);
        Settle[] of = args[0].equals("train") ? new Settle[] {train} : args[0].equals("differ") ? new Settle[] {differ} : new Settle[] {train, differ};
        System.out.println(args.length > 1 ? measure(of, Integer.parseInt(args[1])) : untilInput(of[0]));
    }
}
