package secrets

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMask(t *testing.T) {
	for _, test := range []struct{ args, want []string }{
		{[]string{"java", "-Ddb.password=hunter2", "Main"}, []string{"java", "-Ddb.password=***", "Main"}},
		{[]string{"--api-key=hunter2", "--api-key", "hunter2", "next"}, []string{"--api-key=***", "--api-key", "***", "next"}},
		{[]string{"-token", "-hunter2", "x"}, []string{"-token", "***", "x"}},
		{[]string{"--use-token", "--verbose", "x"}, []string{"--use-token", "--verbose", "x"}},
		{[]string{"DB_PASSWORD=hun=ter;2", "AWS_SECRET_ACCESS_KEY=hunter2"}, []string{"DB_PASSWORD=***", "AWS_SECRET_ACCESS_KEY=***"}},
		{[]string{"-DMyPassWd=hunter2 and more"}, []string{"-DMyPassWd=***"}},
		{[]string{"jdbc:postgresql://h/db?user=a&password=hunter2&ssl=true"}, []string{"jdbc:postgresql://h/db?user=a&password=***&ssl=true"}},
		{[]string{"-Durl=jdbc:sqlserver://h;user=a;password=hunter2;encrypt=true"}, []string{"-Durl=jdbc:sqlserver://h;user=a;password=***;encrypt=true"}},
		{[]string{"-Durl=jdbc:oracle:thin:scott/hunter2@//h:1521/x"}, []string{"-Durl=jdbc:oracle:thin:scott/***@//h:1521/x"}},
		{[]string{"https://me:hunter2@host/path"}, []string{"https://me:***@host/path"}},
		{[]string{"https://host/path?access_token=hunter2"}, []string{"https://host/path?access_token=***"}},
		{[]string{"-javaagent:a.jar=license_key=hunter2,level=3"}, []string{"-javaagent:a.jar=license_key=***,level=3"}},
		{[]string{"sh", "-c", "java -Dsecret='hunter 2' --password hunter2 Main"}, []string{"sh", "-c", "java -Dsecret=*** --password *** Main"}},
		{[]string{`{"password":"hunter\"2","user":"me"}`}, []string{`{"password":***,"user":"me"}`}},
		{[]string{"-cp", "keys.jar:token.jar", "com.example.KeyTool", "monkey"}, []string{"-cp", "keys.jar:token.jar", "com.example.KeyTool", "monkey"}},
		{[]string{"-XX:+UseKeyedThing", "Main", "-Xlog:key", "a"}, []string{"-XX:+UseKeyedThing", "Main", "-Xlog:key", "a"}},
		{nil, []string{}},
	} {
		if got := Mask(test.args); !slices.Equal(got, test.want) {
			t.Errorf("%q becomes %q, want %q", test.args, got, test.want)
		}
	}
}

// A secret is gone in whatever form and among whatever arguments it is given.
func TestNoSecretStays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		secret := "S3cr3t" + rapid.StringMatching(`[A-Za-z0-9+/!%._-]{4,12}`).Draw(r, "secret")
		name := rapid.StringMatching(`[a-z._]{0,4}`).Draw(r, "before") + rapid.SampledFrom([]string{"password", "PASSWORD", "Secret", "apiToken", "key"}).Draw(r, "name")
		form := rapid.SampledFrom([]string{"-D%n=%s", "--%n=%s", "--%n|%s", "-%n|%s", "%n=%s", "jdbc:x://h/d?u=v&%n=%s&x=y", "jdbc:x://h;%n=%s;x=y",
			"-Da=http://h/?%n=%s", "sh|-c|run --%n %s now", "sh|-c|%n=%s run", "sh|-c|run --%n '%s'", "-javaagent:x.jar=a=b,%n=%s"}).Draw(r, "form")
		args := strings.Split(strings.NewReplacer("%n", name, "%s", secret).Replace(form), "|")
		before := rapid.SliceOfN(rapid.SampledFrom([]string{"java", "-cp", "a.jar:b.jar", "-Dx=y", "Main"}), 0, 3).Draw(r, "others")
		masked := Mask(append(before, args...))
		if strings.Contains(strings.Join(masked, " "), "S3cr3t") {
			r.Fatalf("%q becomes %q", args, masked)
		}
		if len(masked) != len(before)+len(args) || !slices.Equal(masked[:len(before)], before) {
			r.Fatalf("%q changes what is before: %q", before, masked)
		}
	})
}

func FuzzMask(f *testing.F) {
	f.Add("java -Dpassword=x 'a b' --token y")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "|")
		if got := Mask(args); len(got) != len(args) {
			t.Errorf("%d words of %d", len(got), len(args))
		}
	})
}
