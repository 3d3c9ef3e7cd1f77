int n = Integer.getInteger("n")
String join(int k) { var b = new StringBuilder(); for (int i = 0; i < k; i++) b.append(i % (n + 3)).append(','); return b.toString(); }
join(5000).split(",").length
var counts = new java.util.TreeMap<String, Integer>()
for (String s : join(50_000).split(",")) counts.merge(s, 1, Integer::sum)
counts
/exit
