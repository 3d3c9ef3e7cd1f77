import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Works a little, so that there are profiles, and ends as its argument says. */
public class Ends {
    interface Shape { int area(); }
    static class Square implements Shape { public int area() { return 4; } }
    static class Circle implements Shape { public int area() { return 3; } }

    static int sum(Shape[] shapes) {
        int sum = 0;
        for (Shape s : shapes) sum += s.area();
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Shape[] shapes = { new Square(), new Square(), new Circle() };
        long sum = 0;
        for (int i = 0; i < 20_000; i++) sum += sum(shapes);
        Map<String, Integer> words = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) words.merge(String.format("w%d", i % 100), i, Integer::sum);
        switch (args[0]) {
            case "main" -> System.out.println(sum);
            case "exit" -> System.exit(3);
            case "halt" -> Runtime.getRuntime().halt(4);
            case "throw" -> throw new IllegalStateException("thrown");
            case "echo" -> { System.in.transferTo(System.out); System.err.print("to stderr, no line end"); System.exit(0); }
            case "child" -> System.exit(10 + child("exit"));
            case "wait" -> ready();
            case "stubborn" -> {
                int[] signals = { 0 };
                sun.misc.Signal.handle(new sun.misc.Signal("TERM"), s -> {
                    System.out.println("ignored");
                    if (++signals[0] == 3) System.exit(5);
                });
                ready();
            }
            case "second" -> { System.out.println("ready"); TimeUnit.SECONDS.sleep(1); System.out.println("over"); }
            case "restart" -> { // LIBRARY COMMAND...: becomes the command without ending
                System.load(args[1]);
                exec(java.util.Arrays.copyOfRange(args, 2, args.length));
                System.exit(98);
            }
            default -> System.exit(99);
        }
    }

    /** Replaces the program of this process. It returns if that fails. */
    static native void exec(String[] command);

    static void ready() throws InterruptedException {
        System.out.println("ready");
        TimeUnit.MINUTES.sleep(5);
    }

    static int child(String how) throws Exception {
        String java = System.getProperty("java.home") + "/bin/java";
        return new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "Ends", how).inheritIO().start().waitFor();
    }
}
