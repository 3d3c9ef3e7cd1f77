package train

import (
	"strings"
	"testing"
)

func TestJVMName(t *testing.T) {
	long := strings.Repeat("long/", 20)
	for _, x := range []struct{ line, main, want string }{
		{"java -cp . Work", "Work", "java -cp . Work"},
		{"/opt/jdk/bin/java -Xmx1g -cp " + long + " -Da=b com.example.Main one two", "com.example.Main",
			"java ... com.example.Main"},
		{"java -Xmx1g --add-opens " + long + " -jar app.jar serve", "app.jar", "java ... app.jar"},
		{"java -p " + long + " -m app/com.example.Main", "app/com.example.Main", "java ... app/com.example.Main"},
		{"java -jar /" + long + "app.jar x", "/" + long + "app.jar",
			"java ... /long/long/...long/long/long/long/long/long/app.jar"},
		{"java -Da=" + long, "", "java -Da=long/long/l...g/long/long/long/long/long/long/long/"},
	} {
		t.Run(x.want, func(t *testing.T) {
			got := shortCommand(strings.Split(x.line, " "), x.main)
			if n := len([]rune(got)); n > maxJVMName {
				t.Errorf("%s: %d characters", got, n)
			}
			if got != x.want {
				t.Errorf("%s:\n got %q\nwant %q", x.line, got, x.want)
			}
		})
	}
}
