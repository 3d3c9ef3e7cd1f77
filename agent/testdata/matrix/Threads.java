import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

/** Eight threads that prepare the classes of Many, in orders of their own, while daemons go on until the VM ends. */
class Threads {
    static long walk(int thread, int step) throws Exception {
        long sum = 0;
        for (int i = 0, at = thread * 7; i < Many.COUNT; i++, at += step) {
            Class<?> c = Class.forName("Many$C" + Math.floorMod(at, Many.COUNT));
            IntUnaryOperator f = (IntUnaryOperator) c.getDeclaredConstructor().newInstance();
            for (int k = 0; k < 300; k++) sum += Many.apply(f, k);
        }
        return sum;
    }

    /** prepare makes islands, and prepares their classes, until the VM ends. */
    static void prepare() {
        for (long i = 0;; i++) {
            try {
                Class<?> c = new Cell.Island("Unload$").loadClass("Unload$Work");
                ((java.util.function.IntBinaryOperator) c.getDeclaredConstructor().newInstance()).applyAsInt(0, 10);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicLong sum = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        int[] steps = {1, -1, 3, -3, 7, -7, 11, -11};
        for (int i = 0; i < 8; i++) {
            int thread = i;
            threads.add(new Thread(() -> {
                try {
                    sum.addAndGet(walk(thread, steps[thread]));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        for (Thread t : threads) t.start();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(Threads::prepare);
            t.setDaemon(true);
            t.start();
        }
        for (Thread t : threads) t.join();
        Cell.end(sum.get());
    }
}
