package run

import (
	"regexp"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
)

func shellLine(s javacommand.Start) string {
	words := s.Args
	if s.Options != "" {
		words = append([]string{"env", javacommand.Options + "=" + s.Options}, words...)
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell if necessary.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
