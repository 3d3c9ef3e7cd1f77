// Counts words and sorts them.
def text(int n) {
    long seed = 7
    (1..n).collect { seed = (seed * 1103515 + 12345) % 2147483; "w${seed % 900}" }.join(' ')
}
12.times { turn ->
    def words = text(3000).split(' ').countBy { it }
    def order = words.entrySet().sort { a, b -> b.value <=> a.value ?: a.key <=> b.key }
    println "$turn ${order.take(3)*.key} ${words.collect { k, v -> k.size() * v }.sum()}"
}
