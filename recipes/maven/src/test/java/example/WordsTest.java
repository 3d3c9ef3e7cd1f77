package example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class WordsTest {
    @Test
    public void counts() {
        for (int i = 0; i < 3000; i++) {
            assertEquals(2, (int) Words.count("to be or not to be").get("be"));
        }
    }
}
