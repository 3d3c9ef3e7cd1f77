import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Counts the words of the Java sources below a folder: Words FOLDER LETTER. */
public class Words {
    public static void main(String[] args) throws Exception {
        Pattern word = Pattern.compile("\\b" + args[1] + "[A-Za-z0-9_]*");
        Map<String, Integer> counts = new TreeMap<>();
        try (var all = Files.walk(Path.of(args[0]))) {
            for (Path p : all.filter(f -> f.toString().endsWith(".java")).toList()) {
                var m = word.matcher(Files.readString(p));
                while (m.find()) counts.merge(m.group(), 1, Integer::sum);
            }
        }
        List<String> top = counts.entrySet().stream().sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
            .limit(10).map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.toList());
        System.out.println(String.join(", ", top));
    }
}
