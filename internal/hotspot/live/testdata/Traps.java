/** Compiled code that is left for many reasons, in code of methods and of loops. */
public class Traps {
    static int sink;
    interface Shape { int area(); }
    static class A implements Shape { public int area() { return 1; } }
    static class B implements Shape { public int area() { return 2; } }
    static class C implements Shape { public int area() { return 3; } }
    static class Late { static int x = 5; }

    static int branch(int i, int limit) { if (i < limit) return i + 1; return i * 3; }
    static int loop(int n, int limit) { int s = 0; for (int i = 0; i < n; i++) { if (i < limit) s += i; else s ^= i * 7; } return s; }
    static int divide(int a, int b) { return a / b; }
    static int length(String s) { return s.length(); }
    static int at(int[] a, int i) { return a[i]; }
    static int area(Shape s) { return s.area(); }
    static int cast(Object o) { return ((A) o).area(); }
    static int choose(int i) { switch (i) { case 1: return 5; case 2: return 7; case 3: return 9; default: return 1; } }
    static int load(int i) { if (i < 0) return Late.x; return i; }
    static void store(Object[] a, Object o) { a[0] = o; }

    public static void main(String[] args) throws Exception {
        int[] a = new int[100];
        A one = new A(); B two = new B(); C three = new C();
        Object[] objects = new A[1];
        for (int i = 0; i < 100_000; i++) {
            sink += branch(i, 1 << 30) + divide(i, 3) + length("abc") + at(a, i % 100) + area(one) + cast(one) + choose(1) + load(i);
            store(objects, one);
        }
        sink += loop(30_000_000, 20_000_000);
        Thread.sleep(300);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 50_000; i++) sink += branch(i, -k) + area(i % 2 == 0 ? two : three) + choose(i & 3) + load(-i) ;
            try { sink += divide(1, 0); } catch (ArithmeticException e) { sink++; }
            try { sink += length(null); } catch (NullPointerException e) { sink++; }
            try { sink += at(a, 200); } catch (ArrayIndexOutOfBoundsException e) { sink++; }
            try { sink += cast(two); } catch (ClassCastException e) { sink++; }
            try { store(objects, two); } catch (ArrayStoreException e) { sink++; }
            for (int i = 0; i < 50_000; i++) { sink += divide(i, 7) + length("abcd") + at(a, 5) + cast(one); store(objects, one); }
        }
        System.out.println("ready");
        System.in.read();
    }
}
