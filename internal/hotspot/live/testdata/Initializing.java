/** A class that is used while its initializer still runs, beside one whose initializer has returned. */
public class Initializing {
    static class Done {
        static int step(int i) { return i % 7 == 0 ? i * 7 : i; }
    }

    static class Pending {
        static int step(int i) { return i % 3 == 0 ? i * 3 : i * 5; }

        static {
            int sum = 0;
            for (int i = 0; i < 20_000; i++) sum += step(i) + Done.step(i);
            System.out.println(sum == 0 ? "" : "ready");
            try {
                System.in.read();
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) {
        Pending.step(1);
    }
}
