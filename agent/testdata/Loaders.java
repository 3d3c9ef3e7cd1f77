import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Loads the class Plugin by as many loaders as the second argument says, from the folder that the first one names, and runs it in each. */
public class Loaders {
    public static class Plugin implements Runnable {
        int sum;
        static int work(int k) {
            int r = 0;
            for (int i = 0; i < 40; i++) r += i % (k + 1);
            return r;
        }
        public void run() {
            for (int i = 0; i < 20; i++) sum += work(i);
        }
    }

    public static void main(String[] args) throws Exception {
        URL[] folder = {Path.of(args[0]).toUri().toURL()};
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            URLClassLoader loader = new URLClassLoader(folder, ClassLoader.getPlatformClassLoader());
            Runnable plugin = (Runnable) loader.loadClass("Loaders$Plugin").getDeclaredConstructor().newInstance();
            for (int k = 0; k < 20; k++) plugin.run();
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {}
    }
}
