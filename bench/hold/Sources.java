import java.io.File;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles the sources of a directory, which patch java.base, for so many rounds.
 * Then it says so and waits for a line, unless it is to end at once.
 */
public class Sources {
    public static void main(String[] args) throws Exception {
        File[] files = new File(args[0], "java/util").listFiles((dir, name) -> name.endsWith(".java"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of("-d", args[1], "-proc:none", "-nowarn", "--patch-module", "java.base=" + args[0]);
        for (int round = 0; round < Integer.parseInt(args[2]); round++) {
            if (round == 1) {
                System.out.println("busy");
            }
            try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
                StringBuilder ignored = new StringBuilder();
                compiler.getTask(null, manager, d -> ignored.append(d.getKind()), options, null,
                    manager.getJavaFileObjects(files)).call();
            }
        }
        System.out.println("ready");
        if (args.length == 3) {
            System.in.read();
        }
    }
}
