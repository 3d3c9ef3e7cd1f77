import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;

/** Does the same in each run of a mode. Only the mode "with" has an Integer anywhere. */
class Generations {
	static abstract class Shape {
		abstract int area(int x);
		int corners(int x) { return x % 2 == 0 ? text(x) : text("odd"); }
	}
	static class Line extends Shape { @Override int area(int x) { return x & 1; } }
	static class Square extends Shape { @Override int area(int x) { return x > 5 ? x * x : x; } }
	static class Circle extends Shape { @Override int area(int x) { return 3 * x * x; } }

	static int kind(Object o) {
		if (o instanceof Integer) return 1;
		if (o instanceof Long) return 2;
		return o instanceof String ? 3 : 4;
	}

	static int length(Object o) {
		try {
			CharSequence c = (CharSequence) o;
			return c == null ? 0 : c.length();
		} catch (ClassCastException e) {
			return -1;
		}
	}

	static int pick(int i) {
		switch (i % 5) {
		case 0: return 7;
		case 1: return 11;
		case 3: return 13;
		default: return 17;
		}
	}

	static int text(Object o) { return o == null ? 0 : o.toString().length(); }

	static int areas(Shape[] shapes, int n) {
		int sum = 0;
		for (int i = 0; i < n; i++) sum += shapes[i % shapes.length].area(i);
		return sum;
	}

	static int find(ArrayList<Object> list, Object o) { return list.indexOf(o); }

	static int join(MethodHandle handle, Object o) throws Throwable { return (int) handle.invokeExact(o); }

	static int run(Object[] values, Shape[] shapes, MethodHandle handle, int rounds) throws Throwable {
		ArrayList<Object> list = new ArrayList<>();
		int sum = 0;
		for (int i = 0; i < rounds; i++) {
			Object o = values[i % values.length];
			sum += kind(o) + pick(i) + text(o) + join(handle, o);
			if (i % 16 == 0) sum += length(o);
			if (list.size() < 8) list.add(o);
			sum += find(list, o);
		}
		return sum + areas(shapes, rounds);
	}

	/** What only training does. */
	static class Training {
		static Object[] values() { return new Object[] {1, 2L, "three", null, 5, 6}; }
		static int corners(Shape[] shapes) {
			int sum = 0;
			for (int i = 0; i < 300; i++) sum += shapes[i % shapes.length].corners(i);
			return sum;
		}
	}

	static Object[] values() { return new Object[] {2L, 4L, "three", null, 7L}; }

	public static void main(String[] args) throws Throwable {
		boolean with = args[0].equals("with");
		MethodHandle handle = MethodHandles.lookup().findStatic(Generations.class, "text", MethodType.methodType(int.class, Object.class));
		Object[] values = with ? Training.values() : values();
		Shape[] shapes = with ? new Shape[] {new Line(), new Square(), new Circle(), new Square()} : new Shape[] {new Square(), new Square()};
		int sum = run(values, shapes, handle, with ? 20000 : 1500);
		if (with) sum += Training.corners(shapes);
		System.out.println(sum);
		System.out.println("ready");
		while (System.in.read() >= 0) { }
	}
}
