package config

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/golden"
)

// world is an environment and files out of a txtar case.
func world(c *golden.Case) surroundings {
	env := map[string]string{}
	if c.Has("env") {
		for line := range strings.Lines(c.Get("env")) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			env[name] = value
		}
	}
	return surroundings{
		env: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		},
		open: func(name string) (io.ReadCloser, error) {
			if !c.Has(name) {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			return io.NopCloser(strings.NewReader(c.Get(name))), nil
		},
	}
}

func TestMistakesAreNamedWithTheirPlaceAndWithoutTheirValue(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/mistakes/*.txtar", func(t *testing.T, c *golden.Case) {
		_, err := parse("askbridge.yaml", []byte(c.Get("askbridge.yaml")), world(c))
		if err == nil {
			t.Fatal("taken without complaint")
		}
		var detail *Error
		if !errors.As(err, &detail) || len(detail.Problems) == 0 {
			t.Errorf("error is a %T without problems", err)
		}
		if strings.Contains(strings.ToLower(err.Error()), "canary") && !strings.Contains(err.Error(), "variable CANARY") {
			t.Errorf("the message repeats a value:\n%v", err)
		}
		c.Check("want", err.Error())
	})
}
