int n = Integer.getInteger("n")
import java.time.*
import java.time.format.DateTimeFormatter
var day = LocalDate.of(2020, 1, 1)
var texts = new java.util.HashSet<String>()
for (int i = 0; i < 3000; i++) texts.add(day.plusDays(i * (n + 1L)).format(DateTimeFormatter.ofPattern("EEE d MMM uuuu")))
texts.size()
Duration.ofDays(n).plusHours(3)
/exit
