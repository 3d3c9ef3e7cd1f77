package codec_test

import (
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
	options := []codec.Option{codec.NewOption("on", &f.On, ""), codec.NewOption("n", &f.N, ""),
		codec.NewOption("text", &f.Text, ""),
		codec.NewOption("texts", &f.Texts, "")}
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
