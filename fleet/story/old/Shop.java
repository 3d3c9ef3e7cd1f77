/** The program as it was before its methods were rewritten. */
public class Shop {
    interface Article { long price(int amount); }
    record Book(long net) implements Article {
        public long price(int amount) {
            switch (amount) {
                case 0: return 0;
                case 1: return net;
                default: return Math.max(net, net * amount - amount);
            }
        }
    }
    record Tea(long net) implements Article { public long price(int amount) { return Math.abs(net * amount); } }

    static long sell(Article article, int amount) {
        long sum = 0;
        int left = amount;
        while (left-- > 0) {
            if (article instanceof Tea tea) {
                sum += Long.max(tea.price(left), left);
            } else {
                sum = Math.addExact(sum, article.price(left));
            }
        }
        return sum;
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 300_000; i++) {
            Article article = new Book(1200);
            if (i % 4 == 0) article = new Tea(350);
            sum += sell(article, i % 40);
        }
        System.out.println("sold for " + sum);
    }
}
