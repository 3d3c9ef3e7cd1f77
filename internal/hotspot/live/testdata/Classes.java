import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Scanner;

/** Copies class files, whose names stand in the input, into a folder. */
public class Classes {
    public static void main(String[] args) throws Exception {
        Scanner names = new Scanner(System.in, "UTF-8");
        for (int n = 0; names.hasNextLine(); n++) {
            try (InputStream in = ClassLoader.getSystemResourceAsStream(names.nextLine() + ".class")) {
                if (in != null) {
                    Files.write(Path.of(args[0], n + ".class"), in.readAllBytes());
                }
            }
        }
    }
}
