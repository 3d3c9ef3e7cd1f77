package edits;

/** What edits use: it has no value that the compiler knows. */
public class Sink {
    public static int count;
}
