import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles made-up sources for so many rounds, then says so and waits for a
 * line: a VM with thousands of profiles that stand still.
 */
public class Compile {
    static class Source extends SimpleJavaFileObject {
        final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    static String source(int n) {
        return "import java.util.*; import java.util.function.*;\n"
            + "public class C" + n + "<T extends Comparable<T>> implements Function<T, List<? super T>> {\n"
            + "  enum Shape { ROUND, FLAT { @Override int area(int x) { return x * " + n + "; } }; int area(int x) { return x; } }\n"
            + "  interface Visitor<R> { R visit(C" + n + "<?> c); default R twice(C" + n + "<?> c) { visit(c); return visit(c); } }\n"
            + "  private final Map<String, List<T>> map = new TreeMap<>(); int[] counts = new int[" + (n % 7 + 1) + "];\n"
            + "  @Override public List<? super T> apply(T t) { return map.computeIfAbsent(t.toString(), k -> new ArrayList<>()); }\n"
            + "  int sum(List<? extends Number> l) { int s = 0; for (Number x : l) { if (x.intValue() > " + n + ") s += x.intValue(); else s--; } return s; }\n"
            + "  String name(Object o) { switch (o.hashCode() % 5) { case 0: return \"a\" + n(o); case 1: return \"b\"; case 4: return null; default: return o + \"c\"; } }\n"
            + "  private int n(Object o) { try { return Integer.parseInt(o.toString()); } catch (NumberFormatException e) { return -1; } finally { counts[0]++; } }\n"
            + "  <R> R accept(Visitor<R> v) { return v.twice(this); }\n"
            + "  static long fold(long... xs) { long r = 1; for (int i = 0; i < xs.length; i++) { r = r * 31 + xs[i] >>> 3 ^ xs[i] << 2; } return r; }\n"
            + "  Runnable later(int x) { return () -> { Supplier<Shape> s = () -> Shape.values()[x % 2]; counts[0] += s.get().area(x); }; }\n"
            + "}\n";
    }

    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (int round = 0; round < Integer.parseInt(args[0]); round++) {
            List<JavaFileObject> sources = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                sources.add(new Source("C" + i, source(i)));
            }
            List<String> options = List.of("-d", args[1], "-Xlint:all", "-proc:none");
            if (!compiler.getTask(new java.io.StringWriter(), null, null, options, null, sources).call()) {
                System.out.println("failed");
                System.exit(1);
            }
        }
        System.out.println("ready");
        System.out.flush();
        System.in.read();
    }
}
