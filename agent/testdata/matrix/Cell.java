import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/** What the programs of the crash matrix have in common: they print a sum that is the same in each run, and wait for the end of their input. */
class Cell {
    static void end(long sum) throws IOException {
        System.out.println("sum " + sum);
        System.out.println("ready");
        while (System.in.read() >= 0) {}
    }

    /** An island defines the classes of some programs itself, from the class path. */
    static class Island extends ClassLoader {
        /** How often all islands were asked for a class. */
        static final AtomicLong asked = new AtomicLong();
        private final String prefix;

        Island(String prefix) {
            super(Cell.class.getClassLoader());
            this.prefix = prefix;
        }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked.incrementAndGet();
            synchronized (getClassLoadingLock(name)) {
                Class<?> c = findLoadedClass(name);
                if (c != null) return c;
                return name.startsWith(prefix) ? define(name) : super.loadClass(name, resolve);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
