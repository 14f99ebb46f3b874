package config

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/test/golden"
)

// world is the environment and the files of a txtar case.
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

// slackSection and discordSection imitate the sections of the platforms.
type slackSection struct {
	Mode          string `yaml:"mode"`
	BotToken      Secret `yaml:"bot_token"`
	AppToken      Secret `yaml:"app_token"`
	APIURL        string `yaml:"api_url"`
	SigningSecret Secret `yaml:"signing_secret"`
	Unpaced       bool   `yaml:"unpaced"`
}

type discordSection struct {
	BotToken   Secret `yaml:"bot_token"`
	ShardCount int    `yaml:"shard_count"`
	ShardIDs   []int  `yaml:"shard_ids"`
}

func chats() []Section {
	return []Section{{"slack", func() any { return &slackSection{} }}, {"discord", func() any { return &discordSection{} }}}
}

// anywhere resolves every reference.
func anywhere() surroundings {
	return surroundings{
		env:  func(string) (string, bool) { return "canary-canary-canary-canary", true },
		open: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("canary")), nil },
	}
}

func TestErrorsHavePositionsAndNoValues(t *testing.T) {
	t.Parallel()
	golden.Each(t, "testdata/mistakes/*.txtar", func(t *testing.T, c *golden.Case) {
		_, err := parse("askbridge.yaml", []byte(c.Get("askbridge.yaml")), chats(), world(c))
		if err == nil {
			t.Fatal("invalid configuration was accepted")
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
