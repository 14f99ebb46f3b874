package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// claudeMain is a double of Claude Code as far as the guides use it: "claude mcp add" keeps a server, and looks at once
// what it is, which Claude Code does when it starts; a server that it starts as a channel has to be one.
// https://code.claude.com/docs/en/mcp
func claudeMain() {
	kept := filepath.Join(os.Getenv("HOME"), ".claude.json")
	var err error
	switch args := os.Args[1:]; {
	case len(args) > 3 && slices.Equal(args[:3], []string{"-p", "--permission-prompt-tool", "mcp__askbridge__approve"}):
		// The live scenarios of test/hosts run it.
	case slices.Equal(args, []string{"--version"}):
		fmt.Println(os.Getenv("CLAUDE_VERSION") + " (Claude Code)")
	case len(args) > 2 && slices.Equal(args[:2], []string{"mcp", "add"}):
		err = claudeAdds(kept, args[2:])
	case slices.Equal(args, []string{"--dangerously-load-development-channels", "server:askbridge"}):
		err = claudeStarts(kept)
	default:
		err = fmt.Errorf("claude was started with %q", args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "claude:", err)
		os.Exit(1)
	}
}

// claudeServer is the stored configuration of a server.
type claudeServer struct {
	Name, URL    string
	Env, Command []string
}

func (s *claudeServer) transport() mcp.Transport {
	if s.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: s.URL}
	}
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Env, cmd.Stderr = append(os.Environ(), s.Env...), os.Stderr
	return &mcp.CommandTransport{Command: cmd}
}

// connects returns the capabilities of the server once it lists the tool for questions.
func (s *claudeServer) connects() (*mcp.InitializeResult, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2.1.0"}, nil)
	session, err := c.Connect(ctx, s.transport(), nil)
	if err != nil {
		return nil, err
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(tools.Tools, func(t *mcp.Tool) bool { return t.Name == "ask_user" }) {
		return nil, errors.New("the server has no ask_user")
	}
	return session.InitializeResult(), session.Close()
}

func claudeAdds(kept string, args []string) error {
	var s claudeServer
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case word == "--":
			s.Command, args = args, nil
		case word == "--env" && len(args) > 0:
			s.Env, args = append(s.Env, args[0]), args[1:]
		case word == "--transport" && len(args) > 0 && args[0] == "http":
			args = args[1:]
		case s.Name == "" && !strings.HasPrefix(word, "-"):
			s.Name = word
		case s.URL == "" && strings.HasPrefix(word, "http"):
			s.URL = word
		default:
			return fmt.Errorf("mcp add does not know %q", word)
		}
	}
	if s.Name != "askbridge" || (s.URL == "") == (len(s.Command) == 0) {
		return fmt.Errorf("mcp add was given %+v", s)
	}
	if _, err := s.connects(); err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(kept, text, 0o600)
}

// claudeStarts loads the server that was added, as a channel.
func claudeStarts(kept string) error {
	text, err := os.ReadFile(kept)
	if err != nil {
		return err
	}
	var s claudeServer
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	is, err := s.connects()
	if err != nil {
		return err
	}
	if _, ok := is.Capabilities.Experimental["claude/channel/permission"]; !ok {
		return fmt.Errorf("the server takes no permission prompts: %v", is.Capabilities.Experimental)
	}
	return nil
}
