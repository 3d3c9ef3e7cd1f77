import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** A program with every kind of profile point that makes much garbage, and exceptions; receivers come late. */
class Mixed {
    interface Shape { int area(int i); }
    static class Square implements Shape { public int area(int i) { return i * i; } }
    static class Circle implements Shape { public int area(int i) { return 3 * i * i; } }
    static class Late implements Shape { public int area(int i) { return i ^ 0x55; } }
    static class Later extends Late { @Override public int area(int i) { return i ^ 0xaa; } }

    static int virtual(Late l, int i) { return l.area(i); }
    static int call(Shape s, int i) { return s.area(i) + (s instanceof Late ? 1 : 0); }
    static int apply(IntUnaryOperator f, int i) { return f.applyAsInt(i); }
    static void store(Object[] to, int at, Object o) { to[at] = o; }
    static int length(Object o) { return o instanceof String ? ((String) o).length() : ((List<?>) o).size(); }

    static int caught(int i) {
        try {
            return 100 / (i & 3);
        } catch (ArithmeticException e) {
            return -1;
        }
    }

    static int select(int i) {
        switch (i % 9) {
            case 0: return 3;
            case 1: return caught(i);
            case 2: case 3: return i;
            case 8: return -i;
            default: return 1;
        }
    }

    static int text(int i) {
        switch (Integer.toString(i % 5)) {
            case "1": return 11;
            case "4": return 44;
            default: return 0;
        }
    }

    static long work(Shape[] shapes, int rounds) {
        Object[] objects = new Object[16];
        Map<Integer, List<Integer>> map = new HashMap<>();
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += call(shapes[i % shapes.length], i) + select(i) + text(i) + apply(x -> x + 7, i) + apply(Mixed::select, i);
            store(objects, i & 15, (i & 1) == 0 ? Integer.toHexString(i) : new ArrayList<>(List.of(i)));
            if ((i & 15) == 15) for (Object o : objects) sum += length(o);
            map.computeIfAbsent(i % 100, k -> new ArrayList<>()).add(i);
            if (i % 1000 == 999) map.clear();
        }
        for (List<Integer> l : map.values()) sum += l.stream().mapToInt(Integer::intValue).filter(n -> n % 3 == 0).sum();
        return sum;
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        for (int k = 0; k < 3; k++) sum += work(new Shape[] {new Square(), new Circle()}, 40000);
        sum += work(new Shape[] {new Square(), new Late()}, 20000);
        for (int i = 0; i < 20000; i++) sum += virtual(i % 2 == 0 ? new Late() : new Later(), i);
        Cell.end(sum);
    }
}
