/** A program whose profiles name arrays. "train" runs its class Work; "load" only loads it, and makes the arrays. Both wait for the end of their input. */
public class Arrays {
    static class Cell {}
    static class Last {}

    static class Work {
        static int kind(Object o) {
            if (o instanceof String[]) return 1;
            return o instanceof Cell[][] ? 2 : 3;
        }

        static int length(Object o) { return ((int[]) o).length; }

        static void store(Object[] to, Object o) { to[0] = o; }

        static int hash(Object o) { return o.hashCode(); }
    }

    static int train(int rounds, Object[] arrays) {
        Object[] to = new Object[1];
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += Work.kind(arrays[i % 2]) + Work.length(arrays[2]) + Work.hash(arrays[1 + i % 2]);
            Work.store(to, arrays[i % 2]);
        }
        return sum;
    }

    static Object[] make() { return new Object[] {new String[1], new Cell[][] {{new Cell()}}, new int[1]}; }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("train")) train(20000, make());
        else Class.forName("Arrays$Work");
        make();
        Class.forName("Arrays$Last");
        System.out.println("ready");
        while (System.in.read() >= 0) {}
    }
}
