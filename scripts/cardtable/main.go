// Command cardtable compares golden cards with those of an older commit, as a Markdown table: the controls of each card,
// the rows they stand in, and the words of its texts, on Slack and on Discord. Forms are not counted.
//
//	go run ./scripts/cardtable COMMIT CASE...
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/tools/txtar"
)

const folder = "render/testdata/cases/"

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: cardtable COMMIT CASE...")
		os.Exit(2)
	}
	if err := table(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "cardtable:", err)
		os.Exit(1)
	}
}

func table(ctx context.Context, commit string, names []string) error {
	fmt.Print("| card | Slack: controls | rows | words | Discord: controls | rows | words |\n|---|---|---|---|---|---|---|\n")
	var total [2][2]count
	for _, name := range names {
		file := folder + name + ".txtar"
		before, err := exec.CommandContext(ctx, "git", "show", commit+":"+file).Output()
		if err != nil {
			return fmt.Errorf("%s at %s: %w", file, commit, err)
		}
		after, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Print("| " + strings.ReplaceAll(name, "_", " ") + " |")
		for i, section := range []string{"slack.json", "discord.json"} {
			old, now := countIn(before, section), countIn(after, section)
			fmt.Print(compared(old, now))
			total[i][0].add(old)
			total[i][1].add(now)
		}
		fmt.Println()
	}
	fmt.Println("| **sum** |" + compared(total[0][0], total[0][1]) + compared(total[1][0], total[1][1]))
	return nil
}

func compared(old, now count) string {
	return fmt.Sprintf(" %d → %d | %d → %d | %d → %d |", old.controls, now.controls, old.rows, now.rows, old.words, now.words)
}

// count is how much there is on a card.
type count struct{ controls, rows, words int }

func (c *count) add(o count) {
	c.controls += o.controls
	c.rows += o.rows
	c.words += o.words
}

// countIn counts the message in a section of a golden card.
func countIn(archive []byte, section string) count {
	var c count
	for _, f := range txtar.Parse(archive).Files {
		var message struct{ Blocks, Components []any }
		if f.Name != section || json.Unmarshal(f.Data, &message) != nil {
			continue
		}
		for _, part := range append(message.Blocks, message.Components...) {
			c.visit(part)
		}
	}
	return c
}

// Component types of Discord (https://docs.discord.com/developers/components/reference).
const (
	actionRow = 1
	lastMenu  = 8
)

// visit counts a block of Slack or a component of Discord, and what is in it.
func (c *count) visit(node any) {
	switch n := node.(type) {
	case []any:
		for _, inner := range n {
			c.visit(inner)
		}
	case map[string]any:
		switch kind := n["type"].(type) {
		case string:
			switch {
			case kind == "actions", kind == "input":
				c.rows++
			case n["action_id"] != nil:
				c.controls++
				return
			}
			if text, ok := n["text"].(string); ok {
				c.words += len(strings.Fields(text))
			}
		case float64:
			switch {
			case kind == actionRow:
				c.rows++
			case kind <= lastMenu:
				c.controls++
				return
			}
			if text, ok := n["content"].(string); ok {
				c.words += len(strings.Fields(text))
			}
		}
		for _, inner := range n {
			c.visit(inner)
		}
	}
}
