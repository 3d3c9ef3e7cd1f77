import com.sun.tools.attach.VirtualMachine;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** A program whose classes are redefined all the time, by an agent for Java code that is in it. */
class Redefine {
    static Instrumentation jvm;
    static volatile boolean ended;

    /** The same bytes again: the VM makes new methods of them. */
    static class Same implements ClassFileTransformer {
        @Override public byte[] transform(ClassLoader l, String name, Class<?> old, ProtectionDomain d, byte[] file) {
            boolean mine = name != null && old != null && (name.startsWith("Many") || name.startsWith("Mixed"));
            return mine ? file.clone() : null;
        }
    }

    public static void premain(String args, Instrumentation i) {
        jvm = i;
        jvm.addTransformer(new Same(), true);
    }

    public static void agentmain(String args, Instrumentation i) { premain(args, i); }

    /** Loads the agent, if it is to come while the program runs. */
    static void attach() throws Exception {
        String jar = System.getProperty("attached");
        if (jar == null) return;
        VirtualMachine self = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
        self.loadAgent(jar);
        self.detach();
    }

    static void redefine() {
        while (!ended) {
            List<Class<?>> classes = new ArrayList<>();
            for (Class<?> c : jvm.getAllLoadedClasses())
                if (jvm.isModifiableClass(c) && (c.getName().startsWith("Many") || c.getName().startsWith("Mixed"))) classes.add(c);
            try {
                if (!classes.isEmpty()) jvm.retransformClasses(classes.toArray(new Class<?>[0]));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(Redefine::redefine);
        long sum = 0;
        for (int i = 0; i < Many.COUNT; i++) {
            if (i == Many.COUNT / 4) attach();
            if (jvm != null && t.getState() == Thread.State.NEW) t.start();
            IntUnaryOperator f = (IntUnaryOperator) Class.forName("Many$C" + i).getDeclaredConstructor().newInstance();
            for (int k = 0; k < 500; k++) sum += Many.apply(f, k);
        }
        sum += Mixed.work(new Mixed.Shape[] {new Mixed.Square(), new Mixed.Circle()}, 30000);
        sum += Mixed.work(new Mixed.Shape[] {new Mixed.Late(), new Mixed.Later()}, 30000);
        for (int i = 0; i < 20000; i++) sum += Mixed.virtual(i % 2 == 0 ? new Mixed.Late() : new Mixed.Later(), i);
        ended = true;
        if (jvm != null) t.join();
        Cell.end(sum);
    }
}
