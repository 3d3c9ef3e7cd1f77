import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database in memory: each iteration makes one, fills it, asks and changes it. "reports" are other queries than "orders". */
public class Queries {
    static final String[] ORDERS = {
        "select c.region, count(*), sum(o.amount) from customer c join orders o on o.customer = c.id group by c.region order by c.region",
        "select c.name, o.amount from customer c join orders o on o.customer = c.id where o.amount > 700 order by o.amount desc, c.name",
        "select count(*) from customer where name like '%3%' and id in (select customer from orders where amount < 90)",
        "select upper(name) || region from customer where id between 50 and 400 order by credit desc, id",
    };
    static final String[] REPORTS = {
        "select region, avg(credit) from customer group by region having count(*) > 10 order by 2 desc, 1",
        "select c.region, max(o.amount), min(length(c.name)) from customer c left join orders o on c.id = o.customer group by c.region order by 1",
        "select distinct substring(name, 1, 6) from customer where credit > 3 union select region || '' from customer order by 1",
        "select o.id, case when o.amount > 500 then 'large' else 'small' end from orders o where exists (select 1 from customer c where c.id = o.customer and c.credit < 5) order by o.id",
    };

    public static void main(String[] args) throws SQLException {
        String[] queries = args[1].equals("reports") ? REPORTS : ORDERS;
        long sum = 0;
        for (int i = 1; i <= Integer.parseInt(args[0]); i++) {
            long begin = System.nanoTime();
            sum = 31 * sum + iteration("jdbc:h2:mem:d" + i, queries);
            System.out.println("iteration " + i + " took " + (System.nanoTime() - begin) / 1000 / 1000.0 + " ms");
        }
        System.out.println("sum " + sum);
    }

    static long iteration(String url, String[] queries) throws SQLException {
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            s.execute("create table customer(id int primary key, region int, name varchar(40), credit decimal(12, 2))");
            s.execute("create table orders(id int primary key, customer int, amount double)");
            s.execute("create index by_region on customer(region)");
            fill(c, s);
            long sum = 0;
            for (int round = 0; round < 6; round++) for (String q : queries) sum = 31 * sum + read(s, q);
            for (int i = 0; i < 400; i++) sum += read(s, "select name, credit from customer where id = " + 3 * i);
            for (int i = 0; i < 200; i++) sum += s.executeUpdate("update customer set credit = credit + 1, name = name || 'x' where region = " + i % 97);
            return sum;
        }
    }

    static void fill(Connection c, Statement s) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("insert into customer values(?, ?, ?, ?)")) {
            for (int i = 0; i < 1500; i++) {
                p.setInt(1, i);
                p.setInt(2, i * 6007 % 97);
                p.setString(3, "customer" + i * 29 % 983);
                p.setBigDecimal(4, BigDecimal.valueOf(i * 41 % 1000, 2));
                p.executeUpdate();
            }
        }
        for (int i = 0; i < 800; i++) s.execute("insert into orders values(" + i + "," + i * 17 % 1500 + "," + i * 37 % 1000 + ".5)");
    }

    static long read(Statement s, String query) throws SQLException {
        long sum = 0;
        try (ResultSet r = s.executeQuery(query)) {
            while (r.next()) sum = 31 * sum + String.valueOf(r.getObject(1)).hashCode();
        }
        return sum;
    }
}
