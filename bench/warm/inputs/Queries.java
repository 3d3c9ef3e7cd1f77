import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A unit of work for H2, as often as the argument says: two tables are filled, asked and changed, in memory. Prints a sum of all answers for each. */
class Queries {
    private static final String[] QUESTIONS = {
        "select shelf, count(*), sum(price), min(title) from book group by shelf order by shelf",
        "select title, days from book join loan on loan.book = book.id where days > 20 order by title, days",
        "select count(*) from book where title like '%9%' and id in (select book from loan where days < 12)",
        "select lower(title) || shelf from book where id between 200 and 900 order by price desc, id",
        "select b.shelf, avg(l.days) from book b left join loan l on l.book = b.id group by b.shelf having count(*) > 5 order by 1",
    };

    static void fill(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("create table book(id int primary key, shelf int, title varchar(40), price decimal(10,2))");
            s.execute("create table loan(id int primary key, book int, days double)");
            s.execute("create index by_shelf on book(shelf)");
            for (int i = 0; i < 700; i++) s.execute("insert into loan values(" + i + ", " + i * 17 % 1200 + ", " + i * 3 % 45 + ".5)");
        }
        try (PreparedStatement p = c.prepareStatement("insert into book values(?, ?, ?, ?)")) {
            for (int i = 0; i < 1200; i++) {
                p.setInt(1, i);
                p.setInt(2, i * 6007 % 97);
                p.setString(3, "title " + i * 29 % 811);
                p.setBigDecimal(4, java.math.BigDecimal.valueOf(i * 41 % 5000, 2));
                p.executeUpdate();
            }
        }
    }

    /** Adds all values of an answer to a sum. */
    static long read(Statement s, String question, long sum) throws SQLException {
        try (ResultSet r = s.executeQuery(question)) {
            int n = r.getMetaData().getColumnCount();
            while (r.next()) for (int i = 1; i <= n; i++) sum = 31 * sum + String.valueOf(r.getObject(i)).hashCode();
        }
        return sum;
    }

    static long unit(int number) throws SQLException {
        long sum = 0;
        try (Connection c = DriverManager.getConnection("jdbc:h2:mem:unit" + number); Statement s = c.createStatement()) {
            fill(c);
            for (int i = 0; i < 5; i++) for (String q : QUESTIONS) sum = read(s, q, sum);
            for (int i = 0; i < 300; i++) sum = read(s, "select title, price from book where id = " + 4 * i, sum);
            for (int i = 0; i < 150; i++) sum += s.executeUpdate("update book set price = price + 1, title = title || '.' where shelf = " + i % 97);
        }
        return sum;
    }

    public static void main(String[] args) throws SQLException {
        for (int i = 0, n = Integer.parseInt(args[0]); i < n; i++) {
            long begun = System.nanoTime();
            System.out.println("sum " + unit(i));
            System.out.printf("unit %d took %.1f%n", i, (System.nanoTime() - begun) / 1e6);
        }
    }
}
