package edits;

import java.util.*;
import java.util.function.*;
import real.math.BigDecimal;
import real.math.BigInteger;
import real.math.MathContext;
import real.regex.Matcher;
import real.regex.Pattern;

/** Exercises copies of JDK classes, the same in each run. */
public class Drive {
    /** A generator of its own, so that all runs see the same numbers. */
    static int seed;

    static int next(int bound) {
        seed = seed * 1103515245 + 12345;
        return (seed >>> 8) % bound;
    }

    static long sum;

    static void run(String name, int times, Runnable part) {
        seed = name.hashCode();
        sum = 0;
        try {
            for (int i = 0; i < times; i++) {
                part.run();
            }
            System.out.println(name + " " + sum);
        } catch (RuntimeException | StackOverflowError e) {
            System.out.println(name + " " + e);
        }
    }

    static void see(Object o) {
        sum = sum * 31 + (o == null ? 7 : o.hashCode());
    }

    static class Key {
        final int n;

        Key(int n) {
            this.n = n;
        }

        @Override
        public int hashCode() {
            return n % 17;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Key && ((Key) o).n == n;
        }
    }

    static Object key(int n) {
        return switch (n % 3) {
            case 0 -> Integer.valueOf(n);
            case 1 -> "key" + n;
            default -> new Key(n);
        };
    }

    static void maps(Supplier<Map<Object, Object>> make) {
        Map<Object, Object> m = make.get();
        for (int i = 0; i < 400; i++) {
            Object k = key(next(150));
            switch (next(9)) {
                case 0 -> see(m.remove(k));
                case 1 -> see(m.get(k));
                case 2 -> see(m.containsKey(k));
                case 3 -> m.putIfAbsent(k, i);
                case 4 -> m.merge(k, 1, (a, b) -> (Integer) a + (Integer) b);
                case 5 -> m.computeIfAbsent(k, x -> 3);
                case 6 -> m.computeIfPresent(k, (x, v) -> (Integer) v > 5 ? null : (Integer) v + 1);
                case 7 -> m.replace(k, 9);
                default -> m.put(k, i % 11);
            }
        }
        int n = 0;
        for (Iterator<Map.Entry<Object, Object>> it = m.entrySet().iterator(); it.hasNext(); n++) {
            Map.Entry<Object, Object> e = it.next();
            sum += e.getValue().hashCode();
            if (n % 5 == 4) {
                it.remove();
            }
        }
        see(m.size());
        see(m.containsValue(9));
        m.forEach((k, v) -> sum += v.hashCode());
        see(m.keySet().size() + m.values().size());
        m.clear();
    }

    static void sorted() {
        real.util.TreeMap<Integer, Integer> m = new real.util.TreeMap<>();
        for (int i = 0; i < 300; i++) {
            int k = next(200);
            if (next(3) == 0) {
                m.remove(k);
            } else {
                m.put(k, i);
            }
            see(m.floorKey(k + 1));
            see(m.higherKey(k));
            see(m.ceilingKey(k));
            see(m.lowerKey(k));
        }
        see(m.headMap(100).size());
        see(m.tailMap(50, true).firstKey());
        see(m.subMap(30, 120).lastKey());
        for (int k : m.descendingMap().keySet()) {
            sum += k;
        }
        while (m.size() > 10) {
            see(m.pollFirstEntry().getKey());
        }
    }

    static void lists(List<Object> l) {
        for (int i = 0; i < 250; i++) {
            switch (next(8)) {
                case 0 -> l.add(next(l.size() + 1), i);
                case 1 -> see(l.isEmpty() ? null : l.remove(next(l.size())));
                case 2 -> see(l.indexOf(next(60)));
                case 3 -> see(l.lastIndexOf(next(60)));
                case 4 -> see(l.contains(next(90)));
                case 5 -> l.remove((Object) next(60));
                default -> l.add(next(60));
            }
        }
        l.removeIf(x -> (Integer) x % 7 == 0);
        l.replaceAll(x -> (Integer) x + 1);
        l.addAll(real.util.Collections.nCopies(5, 3));
        see(l.hashCode());
        for (ListIterator<Object> it = l.listIterator(); it.hasNext(); ) {
            if ((Integer) it.next() % 5 == 0) {
                it.remove();
            }
        }
        see(l.subList(0, l.size() / 2).size());
        see(l.toArray().length);
        l.retainAll(new real.util.ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7, 8)));
        see(l.toString());
    }

    static void queues() {
        real.util.PriorityQueue<Integer> q = new real.util.PriorityQueue<>();
        real.util.ArrayDeque<Integer> d = new real.util.ArrayDeque<>();
        for (int i = 0; i < 300; i++) {
            int n = next(500);
            if (next(3) > 0) {
                q.add(n);
                d.addFirst(n);
            } else {
                see(q.poll());
                see(d.pollLast());
            }
            if (n % 10 == 0) {
                q.remove(n + 1);
                d.offerLast(n);
                d.removeFirstOccurrence(n);
                see(d.peekFirst());
            }
        }
        q.removeIf(n -> n % 3 == 0);
        for (int n : q) {
            sum += n;
        }
        for (int n : d) {
            sum += n;
        }
        see(q.contains(4));
        see(d.contains(4));
        d.clear();
    }

    static void bits() {
        real.util.BitSet a = new real.util.BitSet(), b = new real.util.BitSet(100);
        for (int i = 0; i < 120; i++) {
            a.set(next(400));
            b.set(next(300), next(2) == 0);
            a.flip(next(50));
        }
        b.set(70, 150);
        b.clear(90, 100);
        see(a.cardinality());
        see(a.intersects(b));
        a.xor(b);
        b.andNot(a);
        a.or(b);
        a.and(b);
        for (int i = b.nextSetBit(0); i >= 0; i = b.nextSetBit(i + 1)) {
            sum += i;
        }
        see(a.nextClearBit(7) + a.previousSetBit(300) + b.length());
        see(b.toString().length());
        see(a.equals(b));
    }

    static void sorts() {
        Integer[] a = new Integer[200 + next(200)];
        for (int i = 0; i < a.length; i++) {
            a[i] = next(10) < 7 ? i : next(1000);
        }
        real.util.ArrayList<Integer> l = new real.util.ArrayList<>(Arrays.asList(a));
        real.util.Collections.sort(l);
        see(l.get(10));
        see(real.util.Collections.binarySearch(l, 77));
        real.util.Collections.reverse(l);
        real.util.Collections.rotate(l, 13);
        real.util.Collections.swap(l, 1, 2);
        see(real.util.Collections.max(l));
        see(real.util.Collections.min(l));
        see(real.util.Collections.frequency(l, 5));
        see(real.util.Collections.indexOfSubList(l, l.subList(20, 24)));
        real.util.Sorts.run(a);
        see(Arrays.hashCode(a));
    }

    static void numbers() {
        BigInteger a = BigInteger.valueOf(next(100000) + 1), b = new BigInteger("" + next(1000000) + next(1000000) + next(1000000));
        for (int i = 0; i < 12; i++) {
            a = a.multiply(b).add(BigInteger.valueOf(next(1000)));
            b = i % 3 == 0 ? b.negate() : b.subtract(BigInteger.valueOf(next(50)));
            see(a.mod(BigInteger.valueOf(997)));
            see(a.compareTo(b));
            see(a.gcd(b.abs()).bitLength());
            see(a.shiftRight(next(90)).and(b).or(a.shiftLeft(5)).xor(b).signum());
        }
        see(a.toString(10).length());
        see(a.divide(b.pow(2).add(BigInteger.ONE)));
        see(new BigInteger(a.toByteArray()).equals(a));
        see(BigInteger.valueOf(7).modPow(BigInteger.valueOf(next(100)), BigInteger.valueOf(1009)));
        see(a.sqrt().bitCount());
    }

    static void decimals() {
        BigDecimal a = new BigDecimal(next(1000) + "." + next(100000)), b = BigDecimal.valueOf(next(100000) + 1, next(6));
        for (int i = 0; i < 10; i++) {
            a = a.add(b).multiply(new BigDecimal("1.0" + next(90)), new MathContext(12));
            b = b.divide(new BigDecimal(3 + next(5)), new MathContext(15)).add(BigDecimal.ONE);
            see(a.compareTo(b));
            see(a.setScale(2, real.math.RoundingMode.values()[next(7)]).toString());
            see(a.subtract(b).stripTrailingZeros().toPlainString().length());
            see(a.remainder(b).precision());
            see(a.toEngineeringString().length());
            see(a.intValue() + a.longValue());
            see((int) a.doubleValue());
        }
        see(a.equals(b));
        see(new BigDecimal("1e" + next(30)).add(a).hashCode());
    }

    static final String[] PATTERNS = {"(a|b)*c", "[a-f0-9]+", "(\\w+)\\s(\\w+)", "^x?y{2,3}z$", "(?i)Hello|world", "(?=a)ab+?", "([^,]*),([^,]*)", "\\b\\d{1,3}(\\.\\d+)?\\b",
        "(?<name>k+)\\k<name>", "a*+b", "[\\p{Lu}&&[^X]]+", ".*end", "(?:ab|cd)+(?!e)", "\\Qliteral\\E", "(?m)^l.*$", "(x+x+)+y", "[^\\s\\p{Punct}]{3,}"};
    static final String[] TEXTS = {"abababc", "deadbeef 0123", "one two three", "yyz", "HELLO World", "abbb", "k1,v1,k2", "3.14 and 42", "kkkk", "aaab", "ABCXD", "the end",
        "ababcd", "a literal", "line\nlast", "xxxxxxxy", "words, and more: of them."};

    static void patterns() {
        Pattern p = Pattern.compile(PATTERNS[next(PATTERNS.length)]);
        for (int i = 0; i < 12; i++) {
            String t = TEXTS[next(TEXTS.length)] + (next(3) == 0 ? TEXTS[next(TEXTS.length)] : "");
            Matcher m = p.matcher(t);
            see(m.matches());
            m.reset();
            while (m.find()) {
                see(m.group());
                sum += m.start() * 3 + m.end() + m.groupCount();
            }
            see(m.replaceAll("<$0>"));
            see(p.split(t).length);
            see(m.lookingAt());
        }
        see(p.toString());
    }

    static void texts() {
        byte[] b = new byte[next(60)];
        for (int i = 0; i < b.length; i++) {
            b[i] = (byte) next(256);
        }
        String s = real.util.Base64.getEncoder().encodeToString(b);
        see(Arrays.hashCode(real.util.Base64.getDecoder().decode(s)));
        see(real.util.Base64.getMimeEncoder().encodeToString(b));
        see(Arrays.hashCode(real.util.Base64.getMimeDecoder().decode(s + "\r\n")));
        real.util.StringTokenizer t = new real.util.StringTokenizer(TEXTS[next(TEXTS.length)], " ,.", next(2) == 0);
        while (t.hasMoreTokens()) {
            see(t.nextToken());
        }
        real.util.StringJoiner j = new real.util.StringJoiner(",", "{", "}");
        for (int i = 0; i < 5; i++) {
            j.add("x" + next(9));
        }
        see(j.toString());
    }

    static void all(int times) {
        run("HashMap", times, () -> maps(real.util.HashMap::new));
        run("LinkedHashMap", times, () -> maps(real.util.LinkedHashMap::new));
        run("Hashtable", times, () -> maps(real.util.Hashtable::new));
        run("TreeMap", times, Drive::sorted);
        run("ArrayList", times, () -> lists(new real.util.ArrayList<>()));
        run("LinkedList", times, () -> lists(new real.util.LinkedList<>()));
        run("Vector", times, () -> lists(new real.util.Vector<>()));
        run("queues", times, Drive::queues);
        run("BitSet", times, Drive::bits);
        run("sorts", times, Drive::sorts);
        run("BigInteger", 2 * times, Drive::numbers);
        run("BigDecimal", 2 * times, Drive::decimals);
        run("Pattern", 4 * times, Drive::patterns);
        run("texts", 4 * times, Drive::texts);
    }

    public static void main(String[] args) throws Exception {
        all(Integer.parseInt(args[0]));
        System.out.println("done");
        System.in.read();
    }
}
