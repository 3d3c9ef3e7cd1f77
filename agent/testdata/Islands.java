import java.io.IOException;
import java.io.InputStream;
import java.util.function.ToIntFunction;

/** Class loaders that come and go without end, each with a class of the same name that is called seven times. */
class Islands {
	public static class Work implements ToIntFunction<Object> {
		static int unused(int i) { return i % 3 == 0 ? i : -i; }
		@Override public int applyAsInt(Object o) { return o instanceof Integer ? unused((Integer) o) : o.hashCode(); }
	}

	static class Island extends ClassLoader {
		Island() { super("island", Islands.class.getClassLoader()); }

		@Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.equals("Islands$Work")) return super.loadClass(name, resolve);
			try (InputStream in = Islands.class.getResourceAsStream("Islands$Work.class")) {
				byte[] code = in.readAllBytes();
				return defineClass(name, code, 0, code.length);
			} catch (IOException e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}

	@SuppressWarnings("unchecked")
	static ToIntFunction<Object> work() throws Exception {
		return (ToIntFunction<Object>) new Island().loadClass("Islands$Work").getDeclaredConstructor().newInstance();
	}

	public static void main(String[] args) throws Exception {
		ToIntFunction<Object> kept = work();
		int sum = 0;
		if (args[0].equals("train")) for (int i = 0; i < 20000; i++) sum += kept.applyAsInt(i % 2 == 0 ? (Object) i : (Object) (long) i);
		System.out.println("ready");
		while (args[0].equals("load") && System.in.available() == 0) {
			kept = work();
			for (int i = 0; i < 7; i++) sum += kept.applyAsInt((long) i);
		}
		while (System.in.read() >= 0) { }
		System.out.println(sum + kept.hashCode());
	}
}
