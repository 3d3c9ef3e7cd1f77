import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A server that renders a table of a catalogue. GET /quit ends it. */
public class Serve {
    record Item(int id, String name, String group, double price) {}

    static final Pattern WORDS = Pattern.compile("(\\w+)-(\\d+)");
    static final List<Item> CATALOGUE = new ArrayList<>();

    public static void main(String[] args) throws IOException {
        for (int i = 0; i < 400; i++) CATALOGUE.add(new Item(i, "item-" + i * 7919 % 1009, "group " + i % 13, i * 37 % 500 / 4.0));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])), 0);
        server.setExecutor(Executors.newFixedThreadPool(2));
        server.createContext("/", x -> answer(x, page()));
        server.createContext("/quit", x -> {
            answer(x, "");
            System.exit(0);
        });
        server.start();
        System.out.println("ready");
    }

    static void answer(HttpExchange x, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        x.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        x.sendResponseHeaders(200, Math.max(body.length, 1));
        try (OutputStream out = x.getResponseBody()) {
            out.write(body.length == 0 ? new byte[1] : body);
        }
    }

    static String page() {
        Map<String, List<Item>> groups = CATALOGUE.stream().filter(i -> i.price() > 20)
            .sorted(Comparator.comparing(Item::price).reversed().thenComparing(Item::name))
            .collect(Collectors.groupingBy(Item::group, TreeMap::new, Collectors.toList()));
        StringBuilder page = new StringBuilder("<table>");
        groups.forEach((group, items) -> {
            page.append("<tr><th>").append(group).append("</th></tr>\n");
            for (Item i : items.subList(0, Math.min(4, items.size()))) page.append(row(i));
        });
        return page.append("</table>").toString();
    }

    static String row(Item i) {
        Matcher m = WORDS.matcher(i.name());
        String name = m.matches() ? m.group(1).toUpperCase(Locale.ROOT) + " " + m.group(2) : i.name();
        return String.format(Locale.ROOT, "<tr><td>%d</td><td>%s</td><td>%.2f</td></tr>\n", i.id(), name, i.price());
    }
}
