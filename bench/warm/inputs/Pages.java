import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with a servlet that keeps a session, and a client that asks for as many pages as the argument says. */
public class Pages {
    public static class Basket extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest in, HttpServletResponse out) throws IOException {
            @SuppressWarnings("unchecked")
            Map<String, Integer> basket = (Map<String, Integer>) in.getSession().getAttribute("basket");
            if (basket == null || basket.size() > 40) in.getSession().setAttribute("basket", basket = new TreeMap<>());
            basket.merge(in.getParameter("article"), Integer.parseInt(in.getParameter("count")), Integer::sum);
            out.setContentType("text/html");
            for (Map.Entry<String, Integer> e : basket.entrySet()) out.getWriter().printf("<li>%s: %d%n", e.getKey(), e.getValue());
        }
    }

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("pages").toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "basket", new Basket());
        context.addServletMappingDecoded("/", "basket");
        tomcat.start();
        HttpClient client = HttpClient.newBuilder().cookieHandler(new java.net.CookieManager()).build();
        String address = "http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/?article=book";
        long sum = 0;
        for (int i = 0, n = Integer.parseInt(args[0]); i < n; i++) {
            HttpRequest ask = HttpRequest.newBuilder(URI.create(address + i * 7 % 60 + "&count=" + i % 5)).build();
            sum = 31 * sum + client.send(ask, HttpResponse.BodyHandlers.ofString()).body().hashCode();
        }
        System.out.println("sum " + sum);
        System.exit(0);
    }
}
