package launch

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// A start is what the system is told to start a program.
type start struct {
	path    string
	args    []string
	options string // value of JAVA_TOOL_OPTIONS; empty: as it is
}

// environment returns the environment of the program.
func (s start) environment() []string {
	env := os.Environ()
	if s.options == "" {
		return env
	}
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, toolOptions+"=") })
	return append(env, toolOptions+"="+s.options)
}

// shellLine returns the command as a shell reads it.
func (s start) shellLine() string {
	words := s.args
	if s.options != "" {
		words = append([]string{"env", toolOptions + "=" + s.options}, words...)
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell, if it needs that.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
