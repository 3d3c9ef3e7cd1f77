package codec_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats/codec"
)

// TestOptionsSetFields sets fields from text, as a command does.
func TestOptionsSetFields(t *testing.T) {
	t.Parallel()
	type fields struct {
		On    bool
		N     int
		Text  string
		Texts []string
	}
	var f fields
	options := []codec.Option{codec.Bool("on", &f.On, ""), codec.Int("n", &f.N, ""), codec.String("text", &f.Text, ""),
		codec.Strings("texts", &f.Texts, "")}
	for i, texts := range [][]string{{"true"}, {"0x10"}, {"a"}, {"b", "c"}} {
		for _, text := range texts {
			if err := options[i].Value.Set(text); err != nil {
				t.Errorf("%s: %v", options[i].Name, err)
			}
		}
	}
	if diff := cmp.Diff(fields{true, 16, "a", []string{"b", "c"}}, f); diff != "" {
		t.Error(diff)
	}
	for _, o := range options[:2] {
		if err := o.Value.Set("x"); err == nil {
			t.Errorf("%s took x", o.Name)
		}
	}
}

func TestCheckOptions(t *testing.T) {
	t.Parallel()
	bad := errors.New("use 1 to 3")
	n := 4
	options := []codec.Option{codec.Bool("on", new(bool), ""), codec.Int("n", &n, "").WithCheck(func() error {
		if n > 3 {
			return bad
		}
		return nil
	})}
	err := codec.CheckOptions(options)
	if !errors.Is(err, bad) || err.Error() != "n 4: use 1 to 3" {
		t.Errorf("of 4: %v", err)
	}
	n = 3
	if err := codec.CheckOptions(options); err != nil {
		t.Errorf("of 3: %v", err)
	}
}
