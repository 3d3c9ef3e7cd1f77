import java.util.function.IntUnaryOperator;

/** Classes are prepared where little of the stack is left, in processes that start others. */
class Deep {
    static int depth;

    static void fall(Class<?>[] classes, int from) {
        depth++;
        if (depth >= from && depth - from < classes.length) {
            try {
                Class.forName(classes[depth - from].getName(), true, classes[depth - from].getClassLoader());
            } catch (ClassNotFoundException | LinkageError | StackOverflowError e) {
                // Where the stack ends is not the same in each run.
            }
        }
        fall(classes, from);
    }

    static int bottom() {
        depth = 0;
        try {
            fall(new Class<?>[0], Integer.MAX_VALUE);
        } catch (StackOverflowError e) {
            return depth;
        }
        return 0;
    }

    static Class<?>[] islands(int n) throws Exception {
        Class<?>[] list = new Class<?>[Many.COUNT * n];
        for (int i = 0; i < list.length; i++) list[i] = Class.forName("Many$C" + i % Many.COUNT, false, i < Many.COUNT ? Deep.class.getClassLoader() : new Cell.Island("Many"));
        return list;
    }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 6; round++) {
            Class<?>[] classes = islands(round == 0 ? 1 : 3);
            int from = bottom() - 20 - round * 100;
            depth = 0;
            try {
                fall(classes, from);
            } catch (StackOverflowError e) {
                depth = 0;
            }
        }
        long sum = new ProcessBuilder("true").start().waitFor();
        IntUnaryOperator f = i -> i + 1;
        for (int i = 0; i < 100000; i++) sum += Many.apply(f, i) + (i % 25000 == 0 ? new ProcessBuilder("true").start().waitFor() : 0);
        Cell.end(sum);
    }
}
