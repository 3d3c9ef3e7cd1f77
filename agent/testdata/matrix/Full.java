import java.util.ArrayList;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/** The metaspace is full, and the program goes on: it prepares classes while there is no room for their profiles. */
class Full {
    static Object[] island() {
        try {
            Class<?> c = new Cell.Island("Unload$").loadClass("Unload$Work");
            IntBinaryOperator work = (IntBinaryOperator) c.getDeclaredConstructor().newInstance();
            work.applyAsInt(0, 2000);
            return new Object[] {work};
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** prepare prepares some of the classes that were loaded before, and uses them. Each is a collection of the heap. */
    static void prepare(Class<?>[] classes, int step) throws ReflectiveOperationException {
        for (int i = 0; i < classes.length; i += step) {
            try {
                IntUnaryOperator f = (IntUnaryOperator) classes[i].getDeclaredConstructor().newInstance();
                for (int k = 0; k < 100; k++) Many.apply(f, k);
            } catch (LinkageError | OutOfMemoryError e) {
                // It is the next one's turn.
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Class<?>[] loaded = new Class<?>[Many.COUNT];
        for (int i = 0; i < Many.COUNT; i++) loaded[i] = Class.forName("Many$C" + i, false, Full.class.getClassLoader());
        List<Object> kept = new ArrayList<>();
        for (int i = 0, failed = 0; i < 3000 && failed < 5; i++) {
            Object[] o = island();
            if (o == null) failed++;
            else kept.add(o);
        }
        prepare(loaded, args.length > 0 ? Integer.parseInt(args[0]) : 4);
        kept.clear();
        System.gc();
        Cell.end(0);
    }
}
