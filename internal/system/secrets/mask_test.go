package secrets

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// commandLines are command lines as services are started with, and their kept forms. Every secret
// in them contains "hunter".
var commandLines = []struct{ line, want string }{
	{"java -Ddb.password=hunter2 Main", "java -Ddb.password=*** Main"},
	{"java -Dx.pass=hunter2 -Djwt=hunter2 -Dhunter2=x:y -jar app.jar -p hunter2 --pwd=hunter2 -phunter2",
		"java -Dx.pass=*** -Djwt=*** -Dhunter2=*** -jar app.jar -p *** --pwd=*** -***"},
	{"/usr/bin/java -Xmx512m -XX:+UseZGC -XX:MaxRAMPercentage=75.0 -cp lib/*:app.jar com.example.Main curl -H " +
		"'Authorization: Bearer hunter2'",
		"/usr/bin/java -Xmx512m -XX:+UseZGC -XX:MaxRAMPercentage=75.0 -cp lib/*:app.jar com.example.Main *** -H ***"},
	{"java -p mods --add-opens java.base/java.lang=ALL-UNNAMED --add-exports=a/b=c -m app/com.example.Main --api-key " +
		"hunter2",
		"java -p mods --add-opens java.base/java.lang=ALL-UNNAMED --add-exports=a/b=c -m app/com.example.Main --api-key ***"},
	{"java -javaagent:apm.jar=license_key=hunter2 -agentlib:jdwp=transport=dt_socket,address=hunter " +
		"-Xlog:gc:file=hunter -Xbootclasspath/a:hunter.jar Main",
		"java -javaagent:apm.jar=*** -agentlib:jdwp=*** -Xlog:*** -*** Main"},
	{"java -XX:OnOutOfMemoryError='curl -u me:hunter2 https://x' -XX:StartFlightRecording=filename=hunter.jfr " +
		"-Dfile.encoding=UTF-8 -ea:com.example... Main",
		"java -XX:OnOutOfMemoryError=*** -XX:StartFlightRecording=*** -Dfile.encoding=UTF-8 -ea:com.example... Main"},
	{"java @args.txt -Durl=jdbc:oracle:thin:scott/hunter2@//h:1521/x Main jdbc:postgresql://h/d?user=a&password=hunter2",
		"java @args.txt -Durl=*** Main ***"},
	{"java Main https://me:hunter2@host/ AWS_SECRET_ACCESS_KEY=hunter2 --verbose -v --hunter2 --dry-run=hunter2",
		"java Main *** *** --verbose -v -*** --dry-run=***"},
	{"java -D'my.pass phrase=hunter2' -Dlong.secret='hunter 2' Main '{\"password\":\"hunter2\"}'",
		"java -D*** -Dlong.secret=*** Main ***"},
	{"sh -c 'java -Dsecret=hunter2 Main'", "sh -c ***"},
	{"'a program hunter2' -Xmx1g -Xhunter2:x -X=hunter", "*** -Xmx1g -*** -***"},
	{"java.exe -jar C:\\app\\app.jar /hunter2", "java.exe -jar C:\\app\\app.jar ***"},
	{"java -XX:CompileCommand=dontinline,java.lang.String::hashCode -Xint -version",
		"java -XX:CompileCommand=dontinline,java.lang.String::hashCode -Xint -version"},
	{"java hunter2:x", "java ***"},
	{"mvn -s settings.xml -Dmaven.wagon.pass=hunter2 -B verify", "mvn -s *** -Dmaven.wagon.pass=*** -B ***"},
	{"redis --requirepass hunter2 --port 6379", "redis --requirepass *** --port ***"},
	{"", ""},
}

func TestMask(t *testing.T) {
	for _, test := range commandLines {
		got := MaskLine(test.line)
		if got != test.want {
			t.Errorf("%s\nbecomes %s\nwant    %s", test.line, got, test.want)
		}
		if MaskLine(got) != got {
			t.Errorf("%s becomes %s", got, MaskLine(got))
		}
	}
}

func TestMaskOptions(t *testing.T) {
	line := "-Xmx64m -Djwt=hunter2 --add-opens=a/b=c -Dx.pass=hunter2 hunter2 -XX:HeapDumpPath=/hunter2 --hunter=2"
	if got, want := MaskOptionsLine(line),
		"-Xmx64m -Djwt=*** --add-opens=a/b=c -Dx.pass=*** *** -XX:HeapDumpPath=*** --hunter=***"; got != want {
		t.Errorf("becomes %s, want %s", got, want)
	}
}

// No secret stays, in whatever form and among whatever arguments it is given.
func TestNoSecretStays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9+/!%._-]{0,9}S3cr3t[A-Za-z0-9+/!%._:;@ -]{0,12}`).Draw(r, "secret")
		name := rapid.StringMatching(`[a-z][a-z._]{0,8}`).Draw(r, "name")
		form := rapid.SampledFrom([]string{"-D%n=%s", "--%n=%s", "--%n|%s", "-%n|%s", "-%n=%s", "-p%s", "-u|%s", "%n=%s",
			"%s", "jdbc:x://h/d?u=v&%n=%s", "-H|X: Bearer %s",
			"sh|-c|run --%n %s now", "-javaagent:x.jar=a=b,%n=%s", "-XX:%n=%s", "-Xlog:%s", "-X%s", "@%n|Main|%s", "--%s=%n",
			"-Xmx%s", "-XX:CompileCommand=%s/S3cr3t"}).Draw(r, "form")
		args := strings.Split(strings.NewReplacer("%n", name, "%s", secret).Replace(form), "|")
		before := rapid.SampledFrom([][]string{{"java", "-cp", "a.jar:b.jar", "-Dx=y", "Main"}, {"java", "-jar", "a.jar"},
			{"java", "-m", "a/b", "--x"}, {"run"}}).Draw(r, "before")
		all := append(slices.Clone(before), args...)
		masked := Mask(all)
		if line := JoinWords(masked); len(masked) != len(all) ||
			strings.Contains(line, "S3cr3t") && form != "-XX:CompileCommand=%s/S3cr3t" || MaskLine(line) != line ||
			MaskLine(JoinWords(all)) != line {
			r.Fatalf("%q becomes %q", all, masked)
		}
	})
}

func FuzzMask(f *testing.F) {
	f.Add("java -Dpassword=x 'a b' --token y")
	f.Add("a\n\\java t") // a program that is masked is no java
	f.Fuzz(func(t *testing.T, line string) {
		if got := MaskLine(line); MaskLine(got) != got {
			t.Errorf("%q becomes %q, and that %q", line, got, MaskLine(got))
		}
	})
}

// TestUnknownOptionsAreMasked masks options with each sign and value.
func TestUnknownOptionsAreMasked(t *testing.T) {
	args := []string{"-XX:+UseG1GC", "-XX:-UseG1GC", "-XX:ParallelGCThreads=2", "-XX:+s3cr3t", "-XX:-s3cr3t",
		"-XX:s3cr3t=1", "-XX:s3cr3t", "-XX:", "-Dx=***", "Main"}
	want := []string{"-XX:+UseG1GC", "-XX:-UseG1GC", "-XX:ParallelGCThreads=2", "-XX:***", "-XX:***", "-XX:***", "-XX:***",
		"-XX:***", "-Dx=***", "Main"}
	isKnown := func(name string) bool { return name == "UseG1GC" || name == "ParallelGCThreads" }
	if got := MaskUnknown(args, isKnown); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
