package real.util;

import java.util.Comparator;

/** Calls sorts that their package keeps to itself. */
public class Sorts {
    public static void run(Integer[] a) {
        Integer[] b = a.clone();
        TimSort.sort(a, 0, a.length, Comparator.<Integer>reverseOrder(), null, 0, 0);
        ComparableTimSort.sort(b, 0, b.length, null, 0, 0);
        if (b.length > 0 && !b[0].equals(a[a.length - 1])) {
            throw new IllegalStateException();
        }
    }
}
