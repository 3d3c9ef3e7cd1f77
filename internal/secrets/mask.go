// Package secrets masks what a command line must not reveal: values whose names
// say that they are secret, and passwords in URLs.
package secrets

import (
	"regexp"
	"strings"
)

// Masked replaces a secret.
const Masked = "***"

// secretName matches the names of secret values.
var secretName = regexp.MustCompile(`(?i)passw|passphrase|secret|token|key|credential`)

// Patterns of secrets inside an argument. The first group is kept, and what follows
// it is masked.
var (
	// name=value within an argument, as in a URL, a JDBC connection string or an
	// agent's options, up to what ends such a value.
	pair = regexp.MustCompile(`(?i)([\w.$-]*(?:passw|passphrase|secret|token|key|credential)[\w.$-]*=)("[^"]*"|'[^']*'|[^\s&;,"']+)`)
	// name: value, with quotes, as in JSON.
	member = regexp.MustCompile(`(?i)(["'][\w.$-]*(?:passw|passphrase|secret|token|key|credential)[\w.$-]*["']\s*:\s*)("(?:\\.|[^"\\])*"|'[^']*'|[^\s,}]+)`)
	// scheme://user:password@host
	userinfo = regexp.MustCompile(`(://[^\s/:@]*:)([^\s/]+)(@)`)
	// jdbc:oracle:thin:user/password@host
	oracle = regexp.MustCompile(`(?i)(jdbc:oracle:\w+:[^\s/:@]*/)([^\s@]+)(@)`)
	// the words of an argument that is a command line itself
	words = regexp.MustCompile(`\s+|(?:"[^"]*"|'[^']*'|[^\s"'])+|["']`)
)

// Mask returns the words of a command line without their secrets: values that
// follow a name such as *password*, *secret*, *token* or *key*, in any case, as
// -Dname=value, --name=value, --name value, NAME=value, and in the parameters of
// URLs; passwords of users in URLs; and the same in arguments that are command
// lines themselves. It rather masks too much: a key is not always a secret.
func Mask(args []string) []string {
	out := make([]string, len(args))
	named := false // the argument before names a secret
	for i, arg := range args {
		switch {
		case named && !isFlag(arg):
			out[i], named = Masked, false
			continue
		case strings.ContainsAny(arg, " \t\n"):
			out[i] = maskLine(arg)
		default:
			out[i] = maskWord(arg)
		}
		named = namesSecret(arg)
	}
	return out
}

// isFlag reports whether an argument is a flag, and not the value of the flag
// before it. A value may begin with one dash, but hardly with two.
func isFlag(arg string) bool {
	return strings.HasPrefix(arg, "--") || len(arg) > 1 && arg[0] == '-' && strings.IndexByte(arg, '=') > 0
}

// namesSecret reports whether an argument is a flag, and the next argument its
// secret value.
func namesSecret(arg string) bool {
	return strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "-X") && !strings.ContainsAny(arg, "=: \t\n") && secretName.MatchString(arg)
}

// maskLine masks an argument that is itself a command line, or prose.
func maskLine(line string) string {
	if name, _, ok := strings.Cut(line, "="); ok && !strings.ContainsAny(name, " \t\n") && secretName.MatchString(name) {
		return name + "=" + Masked
	}
	pieces := words.FindAllString(line, -1)
	named := false
	for i, piece := range pieces {
		switch {
		case strings.TrimSpace(piece) == "":
			continue
		case named && !isFlag(piece):
			pieces[i], named = Masked, false
			continue
		}
		pieces[i] = maskWord(piece)
		named = namesSecret(strings.Trim(piece, `"'`))
	}
	return strings.Join(pieces, "")
}

// maskWord masks one word: everything after the = of a secret name, otherwise
// the secrets inside.
func maskWord(word string) string {
	if name, _, ok := strings.Cut(word, "="); ok && secretName.MatchString(name) && !strings.ContainsAny(name, "?&;,/\"'") {
		return name + "=" + Masked
	}
	word = userinfo.ReplaceAllString(word, "${1}"+Masked+"${3}")
	word = oracle.ReplaceAllString(word, "${1}"+Masked+"${3}")
	word = member.ReplaceAllString(word, "${1}"+Masked)
	return pair.ReplaceAllString(word, "${1}"+Masked)
}
