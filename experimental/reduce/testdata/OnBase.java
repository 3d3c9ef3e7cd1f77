import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two programs that do the same with the JDK's classes, most of the time: "base" nothing else, "app" some work of its own. Both wait for the end of their input. */
public class OnBase {
    interface Shape { int area(); }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    record Line(int length) implements Shape { public int area() { return 0; } }

    static class Work {
        static int sum(List<Shape> shapes) {
            int sum = 0;
            for (Shape s : shapes) sum += s.area() > 1 ? s.area() : 1;
            return sum;
        }
    }

    static int library(int rounds) {
        Map<String, Integer> words = new HashMap<>();
        for (int i = 0; i < rounds; i++) {
            String word = new StringBuilder().append("word ").append(i % 100).toString();
            words.merge(word, 1, Integer::sum);
            if (words.containsKey(word + "s")) words.clear();
        }
        return words.size();
    }

    public static void main(String[] args) throws Exception {
        int sum = library(20000);
        if (args[0].equals("app")) {
            List<Shape> shapes = new ArrayList<>(List.of(new Line(3), new Square(2), new Square(1)));
            for (int i = 0; i < 20000; i++) sum += Work.sum(shapes);
            Map<Long, Long> squares = new HashMap<>();
            for (long i = 0; i < 5000; i++) squares.putIfAbsent(i % 7, i * i);
            sum += squares.size();
        }
        System.out.println(sum);
        System.out.println("ready");
        while (System.in.read() >= 0) {}
    }
}
