import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes an archive of the profiles of the test JVM when its tests have run. The system property profarc.archive names
 * the archive, as -Dprofarc.archive=tests.parc; without it the listener does nothing. %p in the name stands for the
 * number of the process, for builds with several test JVMs. A failure is one line on stderr, and fails no test.
 */
public class ProfarcListener implements TestExecutionListener {
    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        String archive = System.getProperty("profarc.archive");
        if (archive == null || archive.isEmpty()) {
            return;
        }
        String pid = Long.toString(ProcessHandle.current().pid());
        try {
            Process dump = new ProcessBuilder(System.getProperty("profarc.command", "profarc"), "dump", "--pid", pid,
                    "--output", archive.replace("%p", pid)).redirectErrorStream(true).start();
            if (!dump.waitFor(2, TimeUnit.MINUTES)) {
                dump.destroy();
                System.err.println("profarc: the dump took more than two minutes");
                return;
            }
            // A build tool can use the JVM's stdout for its own messages.
            System.err.print(new String(dump.getInputStream().readAllBytes()));
        } catch (IOException e) {
            System.err.println("profarc: no archive of the tests: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
