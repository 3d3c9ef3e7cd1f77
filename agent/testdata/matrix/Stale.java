/**
 * A program that changed since it was trained, in what no code id covers: words in capitals stand for other classes then. The
 * same instructions call methods of other classes, and the classes that were receivers have other parents.
 */
class Stale {
    static class Small { int get(int i) { return i; } }
    /** So many methods that those of Big are none of the first that a class has. */
    static class Wide {
        long w0(int i, long j, double k) { return i + 0; }
        long w1(int i, long j, double k) { return i + 1; }
        long w2(int i, long j, double k) { return i + 2; }
        long w3(int i, long j, double k) { return i + 3; }
        long w4(int i, long j, double k) { return i + 4; }
        long w5(int i, long j, double k) { return i + 5; }
        long w6(int i, long j, double k) { return i + 6; }
        long w7(int i, long j, double k) { return i + 7; }
        long w8(int i, long j, double k) { return i + 8; }
        long w9(int i, long j, double k) { return i + 9; }
        long w10(int i, long j, double k) { return i + 10; }
        long w11(int i, long j, double k) { return i + 11; }
        long w12(int i, long j, double k) { return i + 12; }
        long w13(int i, long j, double k) { return i + 13; }
        long w14(int i, long j, double k) { return i + 14; }
        long w15(int i, long j, double k) { return i + 15; }
        long w16(int i, long j, double k) { return i + 16; }
        long w17(int i, long j, double k) { return i + 17; }
        long w18(int i, long j, double k) { return i + 18; }
        long w19(int i, long j, double k) { return i + 19; }
    }
    static class Big extends Wide { int get(int i) { return i + 7; } }
    static class Other extends Big { @Override int get(int i) { return i + 8; } }
    static class Moved extends VERSION { @Override int get(int i) { return i + 9; } }
    static class Still extends Big { @Override int get(int i) { return i + 10; } }

    static int call(Object b, int i) { return ((CALLED) b).get(i); }
    static int moved(Big b, int i) { return b.get(i); }
    static int other(Object o) { return o instanceof CALLED ? 1 : o instanceof Moved ? 2 : 3; }
    static int pass(Object o, int i) { return other(o) + o.hashCode() * 0 + i; }

    static long work(Object[] objects, Big[] big, int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            Object b = objects[i % objects.length];
            sum += call(b, i) + moved(big[i % big.length], i) + pass(b, i);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        new Small(); new Moved(); new Other(); new Still();
        Cell.end(work(new Object[] {OBJECTS}, new Big[] {KEPT}, 200000));
    }
}
