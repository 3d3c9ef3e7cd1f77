import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/** Calculates in one of several ways: Numbers KIND SEED. */
public class Numbers {
    static long primes(int n) {
        BitSet not = new BitSet(n);
        long sum = 0;
        for (int i = 2; i < n; i++) {
            if (not.get(i)) continue;
            sum += i;
            for (long j = (long) i * i; j < n; j += i) not.set((int) j);
        }
        return sum;
    }

    static long queues(Random r) {
        var heap = new PriorityQueue<Integer>();
        var deque = new ArrayDeque<Integer>();
        var map = new HashMap<Integer, String>();
        for (int i = 0; i < 200_000; i++) {
            int n = r.nextInt(10_000);
            if (n % 3 == 0) heap.add(n); else deque.addLast(n);
            map.put(n, Integer.toHexString(n));
            if (heap.size() > 1000) heap.poll();
            if (deque.size() > 1000) map.remove(deque.removeFirst());
        }
        return heap.size() + deque.size() + map.size();
    }

    static int power(Random r) {
        BigInteger m = new BigInteger(512, r).setBit(0), b = new BigInteger(500, r);
        for (int i = 0; i < 60; i++) b = b.modPow(new BigInteger(256, r), m);
        return b.bitLength();
    }

    static int operators(Random r) {
        IntUnaryOperator[] all = {x -> x + 1, x -> x * 31, x -> x >>> 3, Integer::reverse, x -> x ^ 0x55};
        int x = r.nextInt();
        for (int i = 0; i < 2_000_000; i++) x = all[i % 7 % all.length].applyAsInt(x);
        return x;
    }

    public static void main(String[] args) {
        Random r = new Random(Long.parseLong(args[1]));
        switch (args[0]) {
            case "primes": System.out.println(primes(2_000_000 + r.nextInt(1_000_000))); break;
            case "queues": System.out.println(queues(r)); break;
            case "power": System.out.println(power(r)); break;
            default: System.out.println(operators(r));
        }
    }
}
