/** A program to train: it sells for about a second. */
public class Shop {
    interface Article { long price(int amount); }
    record Book(long net) implements Article { public long price(int amount) { return amount > 9 ? net * amount * 9 / 10 : net * amount; } }
    record Tea(long net) implements Article { public long price(int amount) { return amount % 3 == 0 ? net * amount - 1 : net * amount; } }

    static long sell(Article article, int amount) {
        long sum = 0;
        for (int i = 1; i <= amount; i++) {
            sum += (i & 7) == 7 ? -1 : article.price(i);
        }
        return sum;
    }

    public static void main(String[] args) {
        Article[] articles = {new Book(1200), new Tea(350)};
        long sum = 0;
        for (int i = 0; i < 300_000; i++) {
            sum += sell(articles[i % 4 == 0 ? 1 : 0], i % 40);
        }
        System.out.println("sold for " + sum);
    }
}
