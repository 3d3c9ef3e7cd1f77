/** Methods whose compiled code is gone at the end: a class that is loaded late invalidates it. */
public class Deoptimize {
    static class Base {
        int value(int i) { return i + 1; }
    }

    static class Late extends Base {
        int value(int i) { return i - 1; }
    }

    static int called(Base b, int i) { return b.value(i) + b.value(i + 1); }

    static int looped(Base b, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += b.value(i);
        return sum;
    }

    static int profiled(Base b, int i) { return b.value(i) * 3; }

    static int interpreted(int i) {
        return i % 3 == 0 ? i * 3 : i * 5;
    }

    public static void main(String[] args) throws Exception {
        int sum = 0;
        Base b = new Base();
        for (int i = 0; i < 200_000; i++) sum += called(b, i);
        sum += looped(b, 20_000_000);
        for (int i = 0; i < 1_000; i++) sum += profiled(b, i);
        for (int i = 0; i < 60; i++) sum += interpreted(i);
        Class.forName("Deoptimize$Late");
        System.out.println(sum == 0 ? "" : "ready");
        System.in.read();
    }
}
