package train

import (
	"strings"
	"testing"
)

func TestJVMName(t *testing.T) {
	long := strings.Repeat("long/", 20)
	for _, x := range []struct{ line, want string }{
		{"java -cp . Work", "java -cp . Work"},
		{"/opt/a-long-name-of-a-jdk/bin/java -XX:TieredStopAtLevel=1 -cp . Work", "java -XX:TieredStopAtLevel=1 -cp . Work"},
		{"/opt/jdk/bin/java -Xmx1g -cp " + long + " -Da=b com.example.Main one two", "java ... com.example.Main one two"},
		{"java -Xmx1g --add-opens " + long + " -jar app.jar serve", "java ... -jar app.jar serve"},
		{"java -p " + long + " -m app/com.example.Main", "java ... -m app/com.example.Main"},
		{"java @args " + "-Da=" + long + " Main " + long, "java ... Main long/long/long/long/long/long/long/long/lon..."},
		{"/opt/jdk/bin/javac -d out " + long, "javac -d out long/long/long/long/long/long/long/long/long..."},
		{"java -jar /" + long + "app.jar x", "java ... -jar /long/...long/long/long/long/long/long/app.jar"},
		{"java -Da=" + long, "java -Da=long/long/l...g/long/long/long/long/long/long/long/"},
	} {
		got := jvmName(strings.Split(x.line, " "))
		if n := len([]rune(got)); n > maxJVMName {
			t.Errorf("%s: %d characters", got, n)
		}
		if got != x.want {
			t.Errorf("%s:\n got %q\nwant %q", x.line, got, x.want)
		}
	}
}
