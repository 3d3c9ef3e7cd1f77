import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;

/** A server that asks H2 for each request, and a client that sends as many as the argument says. */
class Requests {
    static String answer(Connection c, int id) throws Exception {
        StringBuilder text = new StringBuilder();
        try (Statement s = c.createStatement()) {
            s.executeUpdate("update item set sold = sold + 1 where id = " + id % 2000);
            String question = id % 3 == 0
                ? "select shelf, sum(sold), max(name) from item where shelf < " + id % 17 + " group by shelf order by shelf"
                : "select id, name, sold from item where id between " + id % 1900 + " and " + (id % 1900 + 25) + " order by name";
            try (ResultSet r = s.executeQuery(question)) {
                while (r.next()) text.append(r.getObject(1)).append(';').append(r.getObject(2)).append(';').append(r.getString(3)).append('\n');
            }
        }
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        Connection c = DriverManager.getConnection("jdbc:h2:mem:shop");
        try (Statement s = c.createStatement()) {
            s.execute("create table item(id int primary key, shelf int, name varchar(40), sold int)");
            for (int i = 0; i < 2000; i++) s.execute("insert into item values(" + i + ", " + i % 23 + ", 'item " + i * 29 % 811 + "', 0)");
        }
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try {
                byte[] body = answer(c, Integer.parseInt(exchange.getRequestURI().getQuery())).getBytes();
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } catch (Exception e) {
                exchange.sendResponseHeaders(500, -1);
            }
            exchange.close();
        });
        server.start();
        HttpClient client = HttpClient.newHttpClient();
        String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/?";
        StringBuilder times = new StringBuilder();
        long sum = 0;
        for (int i = 0, n = Integer.parseInt(args[0]); i < n; i++) {
            long begun = System.nanoTime();
            HttpResponse<String> r = client.send(HttpRequest.newBuilder(URI.create(address + i)).build(), HttpResponse.BodyHandlers.ofString());
            times.append("request took ").append((System.nanoTime() - begun) / 1e6).append('\n');
            sum = 31 * sum + r.body().hashCode() + r.statusCode();
        }
        System.out.print(times);
        System.out.println("sum " + sum);
        System.exit(0);
    }
}
