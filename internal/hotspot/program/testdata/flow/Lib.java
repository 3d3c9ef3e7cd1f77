package flow;

import java.util.*;

/** What generated methods call. */
public class Lib {
    public interface Shape {
        int area(int n);

        int sides();
    }

    public record Square(int a) implements Shape {
        public int area(int n) { return a * a + n; }

        public int sides() { return 4; }
    }

    public record Triangle(int a) implements Shape {
        public int area(int n) { return a * a / 2 + n; }

        public int sides() { return 3; }
    }

    public record Circle(int a) implements Shape {
        public int area(int n) { return 3 * a * a - n; }

        public int sides() { return 0; }
    }

    static int sum;

    public static int f0(int n) { return n + 1; }

    public static int f1(int n) { return n ^ 5; }

    public static int f2(int n) { return n * 3; }

    public static int f3(int n) { return n - 7; }

    public static int f4(int n) { return n >> 1; }

    public static int f5(int n) { return ~n; }

    public static boolean is(int n) { return n % 3 == 1; }

    public static int parse(int n) {
        if (n % 16 == 0) {
            throw new IllegalArgumentException();
        }
        return n;
    }

    /** A generator of its own, so that all runs see the same numbers. */
    static long seed;

    static int next(int bound) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
        return (int) ((seed >>> 33) % bound);
    }

    static final Object[] OBJECTS = {1, 2, 3, 4, "a", "b", "c", 5L, 6L, 7.5, 'c', null};
    static final Shape[] SHAPES = {new Square(3), new Square(4), new Square(5), new Square(6), new Triangle(3), new Circle(2)};

    /** One method that was generated. */
    interface Generated {
        long run(int x, int y, Object o, Shape s, int[] xs, List<Object> list, Map<Integer, Integer> map);
    }

    static void run(String name, int times, Generated m) {
        seed = name.hashCode();
        Map<Integer, Integer> map = new HashMap<>();
        int mixed = 1 + next(6);
        long sum = 0;
        for (int i = 0; i < times; i++) {
            int[] xs = new int[next(8)];
            for (int k = 0; k < xs.length; k++) {
                xs[k] = next(100);
            }
            List<Object> list = new ArrayList<>();
            for (int k = next(6); k > 0; k--) {
                list.add(OBJECTS[next(OBJECTS.length - 1)]);
            }
            try {
                sum += m.run(next(100), next(100), OBJECTS[next(OBJECTS.length)], SHAPES[next(mixed)], xs, list, map);
            } catch (RuntimeException e) {
                sum++;
            }
        }
        System.out.println(name + " " + sum);
    }
}
