import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A program of many small methods with loops, switches, type checks and virtual calls. */
public class Market {
    interface Rule {
        int apply(int price);
    }

    static final class Discount implements Rule {
        final int percent;

        Discount(int percent) {
            this.percent = percent;
        }

        public int apply(int price) {
            return price - price * percent / 100;
        }
    }

    static final class Surcharge implements Rule {
        public int apply(int price) {
            if (price > 900) {
                return price + 9;
            }
            return price + 1;
        }
    }

    static final class Free implements Rule {
        public int apply(int price) {
            return 0;
        }
    }

    static final class Order {
        final int id;
        final int kind;
        final int price;
        String note;

        Order(int id, int kind, int price) {
            this.id = id;
            this.kind = kind;
            this.price = price;
        }

        boolean cheap() {
            return price < 100;
        }

        boolean wants(int other) {
            if (kind == other) {
                return true;
            }
            if (kind == 3 && other != 0) {
                return price > 500;
            }
            return false;
        }
    }

    static final class Book {
        final List<Order> orders = new ArrayList<>();
        final Map<Integer, Integer> totals = new HashMap<>();
        int rejected;

        void add(Order o) {
            if (o.price < 0) {
                rejected++;
                return;
            }
            orders.add(o);
            Integer old = totals.get(o.kind);
            totals.put(o.kind, old == null ? o.price : old + o.price);
        }

        int sum() {
            int t = 0;
            for (Order o : orders) {
                t += o.price;
            }
            return t;
        }

        int count(int kind) {
            int n = 0;
            for (int i = 0; i < orders.size(); i++) {
                if (orders.get(i).wants(kind)) {
                    n++;
                }
            }
            return n;
        }

        int cheapest() {
            int best = Integer.MAX_VALUE;
            for (Order o : orders) {
                if (o.price < best) {
                    best = o.price;
                } else if (o.price == best) {
                    best += 0;
                }
            }
            return best;
        }
    }

    static int[] sieve(int n) {
        boolean[] out = new boolean[n + 1];
        int[] found = new int[n];
        int k = 0;
        for (int i = 2; i <= n; i++) {
            if (out[i]) {
                continue;
            }
            found[k++] = i;
            for (long j = (long) i * i; j <= n; j += i) {
                out[(int) j] = true;
            }
        }
        return java.util.Arrays.copyOf(found, k);
    }

    static int gcd(int a, int b) {
        while (b != 0) {
            int t = a % b;
            a = b;
            b = t;
        }
        return a;
    }

    static int collatz(int n) {
        int steps = 0;
        while (n != 1) {
            if ((n & 1) == 0) {
                n >>= 1;
            } else {
                n = 3 * n + 1;
            }
            steps++;
        }
        return steps;
    }

    static int weigh(int kind, int price) {
        switch (kind) {
            case 0:
                return price;
            case 1:
                return price * 2;
            case 2:
                if (price > 700) {
                    return price - 700;
                }
                return price + 3;
            case 3:
                return -price;
            default:
                return 7;
        }
    }

    static int priceOf(Rule[] rules, Order o) {
        int p = o.price;
        for (int i = 0; i < rules.length; i++) {
            Rule r = rules[i];
            if (r instanceof Free && p < 990) {
                continue;
            }
            p = r.apply(p);
            if (p <= 0) {
                break;
            }
        }
        return p;
    }

    static Rule ruleFor(Object o) {
        if (o instanceof Order) {
            Order order = (Order) o;
            return order.cheap() ? new Surcharge() : new Discount(order.kind);
        }
        return new Free();
    }

    static int settle(Book book, Rule[] rules) {
        int t = 0;
        for (Order o : book.orders) {
            int p = priceOf(rules, o);
            t += weigh(o.kind, p);
            if (o.id % 16 == 0) {
                t ^= ruleFor(o).apply(p);
            }
            t = clamp(t, -1000000, 1000000);
        }
        return t;
    }

    static int clamp(int v, int low, int high) {
        if (v < low) {
            return low;
        }
        if (v > high) {
            return high;
        }
        return v;
    }

    static int digits(int n) {
        int d = 1;
        while (n >= 10) {
            n /= 10;
            d++;
        }
        return d;
    }

    static int hash(String s) {
        int h = 17;
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c >= '0' && c <= '9') {
                h = h * 31 + (c - '0');
            } else if (c == '-') {
                h = -h;
            } else {
                h ^= c << 3;
            }
        }
        return h;
    }

    static String label(Order o) {
        String s = "k" + o.kind;
        if (o.price > 500) {
            s += "-" + o.price;
        }
        return s;
    }

    static int parse(String s) {
        int n = 0;
        boolean negative = false;
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            switch (c) {
                case '-':
                    negative = !negative;
                    break;
                case 'k':
                case 'K':
                    n += 1000;
                    break;
                default:
                    n = n * 10 + Character.digit(c, 10);
            }
        }
        return negative ? -n : n;
    }

    static void sort(int[] a) {
        for (int i = 1; i < a.length; i++) {
            int v = a[i];
            int j = i - 1;
            while (j >= 0 && a[j] > v) {
                a[j + 1] = a[j];
                j--;
            }
            a[j + 1] = v;
        }
    }

    static int search(int[] a, int v) {
        int low = 0;
        int high = a.length - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (a[mid] < v) {
                low = mid + 1;
            } else if (a[mid] > v) {
                high = mid - 1;
            } else {
                return mid;
            }
        }
        return -1;
    }

    static int median(int[] a, int b, int c) {
        int x = a[0];
        if (x < b) {
            return b < c ? b : Math.max(x, c);
        }
        return x < c ? x : Math.max(b, c);
    }

    static int random(int seed) {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        return seed == 0 ? 1 : seed;
    }

    static Book fill(int n) {
        Book book = new Book();
        int seed = 42;
        for (int i = 0; i < n; i++) {
            seed = random(seed);
            int kind = (seed & 7) < 5 ? 0 : (seed >>> 3 & 3);
            book.add(new Order(i, kind, seed >>> 5 & 1023));
        }
        return book;
    }

    static int text(Book book) {
        int t = 0;
        for (Order o : book.orders) {
            String s = label(o);
            t += hash(s) % 100 + parse(s) % 100;
            t += digits(o.price);
        }
        return t;
    }

    static int numbers(int n) {
        int t = 0;
        for (int i = 1; i < n; i++) {
            t += gcd(i, n) + collatz(i) % 7;
        }
        return t;
    }

    static int arrays(int n) {
        int[] primes = sieve(n);
        int[] mixed = new int[64];
        int seed = n;
        for (int i = 0; i < mixed.length; i++) {
            seed = random(seed);
            mixed[i] = seed >>> 20;
        }
        sort(mixed);
        int t = 0;
        for (int i = 0; i < n; i += 3) {
            if (search(primes, i) >= 0) {
                t++;
            }
            t += median(mixed, i, n - i) & 1;
        }
        return t;
    }

    interface Expr {
        int eval(int x);
    }

    record Num(int value) implements Expr {
        public int eval(int x) {
            if (value < 0) {
                return x;
            }
            return value;
        }
    }

    record Plus(Expr a, Expr b) implements Expr {
        public int eval(int x) {
            return a.eval(x) + b.eval(x);
        }
    }

    record Times(Expr a, Expr b) implements Expr {
        public int eval(int x) {
            int left = a.eval(x);
            if (left == 0) {
                return 0;
            }
            return left * b.eval(x) % 1009;
        }
    }

    /** Grammar: expression = term {'+' term}, term = factor {'*' factor}, factor = digit | 'x' | '(' expression ')'. */
    static final class Parser {
        final String text;
        int at;

        Parser(String text) {
            this.text = text;
        }

        char look() {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
            return at < text.length() ? text.charAt(at) : 0;
        }

        Expr expression() {
            Expr e = term();
            while (look() == '+') {
                at++;
                e = new Plus(e, term());
            }
            return e;
        }

        Expr term() {
            Expr e = factor();
            while (look() == '*') {
                at++;
                e = new Times(e, factor());
            }
            return e;
        }

        Expr factor() {
            char c = look();
            at++;
            if (c == '(') {
                Expr e = expression();
                look();
                at++;
                return e;
            }
            return new Num(c == 'x' ? -1 : c - '0');
        }
    }

    static int formulas(int n) {
        Expr e = new Parser("(1 + 2) * x + 3 * (x + x * 4) * 5").expression();
        int t = 0;
        for (int i = 0; i < n; i++) {
            t += e.eval(i % 10);
        }
        return t + weight(e);
    }

    static int weight(Object o) {
        if (o instanceof Plus) {
            Plus p = (Plus) o;
            return 1 + weight(p.a()) + weight(p.b());
        }
        if (o instanceof Times) {
            Times p = (Times) o;
            return 2 + weight(p.a()) + weight(p.b());
        }
        return 0;
    }

    static int[] multiply(int[] a, int[] b, int n) {
        int[] c = new int[n * n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                int s = 0;
                for (int k = 0; k < n; k++) {
                    s += a[i * n + k] * b[k * n + j];
                }
                c[i * n + j] = s % 97;
            }
        }
        return c;
    }

    static int trace(int[] a, int n) {
        int t = 0;
        for (int i = 0; i < n; i++) {
            if (a[i * n + i] % 2 == 0) {
                t += a[i * n + i];
            } else {
                t -= 1;
            }
        }
        return t;
    }

    static String reverse(String s) {
        StringBuilder b = new StringBuilder();
        for (int i = s.length() - 1; i >= 0; i--) {
            b.append(s.charAt(i));
        }
        return b.toString();
    }

    static Map<String, Integer> words(String s) {
        Map<String, Integer> count = new HashMap<>();
        int from = 0;
        for (int i = 0; i <= s.length(); i++) {
            if (i == s.length() || s.charAt(i) == ' ') {
                if (i > from) {
                    String w = s.substring(from, i);
                    Integer n = count.get(w);
                    if (n == null) {
                        count.put(w, 1);
                    } else {
                        count.put(w, n + 1);
                    }
                }
                from = i + 1;
            }
        }
        return count;
    }

    static int bits(int n) {
        int k = 0;
        do {
            k += n & 1;
            n >>>= 1;
        } while (n != 0);
        return k;
    }

    static int grade(int points) {
        if (points >= 900) {
            return 1;
        } else if (points >= 700) {
            return 2;
        } else if (points >= 400) {
            return 3;
        }
        return points < 0 ? 6 : 4;
    }

    static int grades(int[] points) {
        int t = 0;
        for (int p : points) {
            switch (grade(p)) {
                case 1 -> t += 10;
                case 2 -> t += 5;
                case 3 -> t += bits(p);
                default -> t--;
            }
        }
        return t;
    }

    static int school(int n) {
        int[] points = new int[n];
        int seed = 7;
        for (int i = 0; i < n; i++) {
            seed = random(seed);
            points[i] = seed >>> 3 & 1023;
        }
        int[] square = multiply(points, points, 8);
        String text = "one two one three two one " + n;
        return grades(points) + trace(square, 8) + words(reverse(text)).size();
    }

    static int round(Rule[] rules) {
        Book book = fill(500);
        int t = settle(book, rules);
        t += book.sum() + book.count(3) + book.cheapest();
        t += text(book);
        t += numbers(300);
        t += arrays(400);
        t += formulas(300);
        t += school(200);
        return t;
    }

    public static void main(String[] args) throws Exception {
        Rule[] rules = {new Discount(10), new Surcharge(), new Free(), new Discount(5)};
        int t = 0;
        for (int i = 0; i < 500; i++) {
            t += round(rules);
        }
        System.out.println("done " + t);
        System.in.read();
    }
}
