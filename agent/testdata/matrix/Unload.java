import java.util.function.IntBinaryOperator;

/** A thousand class loaders that come and go, each with classes of the same names; some go before their receivers came. */
class Unload {
    interface Shape { int area(int i); }
    static class Round implements Shape { public int area(int i) { return 3 * i; } }
    static class Flat implements Shape { public int area(int i) { return i & 7; } }
    static class Odd extends Flat { @Override public int area(int i) { return -i; } }

    /** What runs on each island. */
    public static class Work implements IntBinaryOperator {
        public Work() {}

        static int sum(Shape s, int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) sum += s.area(i);
            return sum;
        }

        static int virtual(Flat f, int i) { return f.area(i) + 1; }

        @Override public int applyAsInt(int island, int n) {
            int sum = island;
            if (island % 4 != 3) sum += sum(new Round(), n);
            if (island % 4 < 2) sum += sum(new Flat(), n);
            if (island % 4 == 0) for (int i = 0; i < n; i++) sum += virtual(i % 3 == 0 ? new Odd() : new Flat(), i);
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        int islands = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        Object[] kept = new Object[8];
        long sum = 0;
        for (int i = 0; i < islands; i++) {
            Class<?> c = new Cell.Island("Unload$").loadClass("Unload$Work");
            IntBinaryOperator work = (IntBinaryOperator) c.getDeclaredConstructor().newInstance();
            sum += work.applyAsInt(i, i % 100 == 0 ? 20000 : 200);
            kept[i % 8] = work;
            if (i % 125 == 124) System.gc();
        }
        System.out.println("asked " + Cell.Island.asked);
        Cell.end(sum + kept.length);
    }
}
