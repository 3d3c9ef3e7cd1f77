import java.io.InputStream;
import java.util.function.IntUnaryOperator;

/**
 * A class that three loaders define, hidden classes, and exception handlers of
 * which one is entered.
 */
public class Twins {
    public interface Step {
        int step(int x);
    }

    public static class Work implements Step {
        @Override
        public int step(int x) {
            try {
                return half(x);
            } catch (IllegalStateException e) {
                return -1;
            } catch (IllegalArgumentException e) {
                return -2;
            }
        }

        int half(int x) {
            if (x % 10 == 0) {
                throw new IllegalStateException();
            }
            return x >> 1;
        }
    }

    static class Own extends ClassLoader {
        Own() {
            super(Twins.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Twins$Work")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = Twins.class.getResourceAsStream("/Twins$Work.class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static int run(Step s, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += s.step(i);
        }
        return sum;
    }

    static int apply(IntUnaryOperator f, int n) {
        for (int i = 0; i < 100; i++) {
            n = f.applyAsInt(n);
        }
        return n;
    }

    public static void main(String[] args) throws Exception {
        Step[] steps = new Step[3];
        steps[0] = new Work();
        for (int i = 1; i < steps.length; i++) {
            steps[i] = (Step) new Own().loadClass("Twins$Work").getDeclaredConstructor().newInstance();
        }
        int sum = 0;
        for (int i = 0; i < 300; i++) {
            for (int k = steps.length; k-- > 1;) {
                sum += run(steps[k], 100 * k);
            }
            sum += run(steps[0], 10);
            sum += apply(x -> x + 1, i) + apply(x -> x * 3, i);
        }
        System.out.println("sum " + sum);
        System.out.println("ready");
        System.out.flush();
        System.in.read();
    }
}
