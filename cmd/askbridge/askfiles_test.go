package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestAskUploadsFiles(t *testing.T) {
	t.Parallel()
	ctx, o := bounded(t), openOffice(t)
	path := filepath.Join(t.TempDir(), "a name of its own")
	if err := os.WriteFile(path, []byte("-a\r\n+b"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := o.ask("from a pipe", "--file", "change.diff="+path, "--file", "-", "Apply it?", "Yes", "No")
	o.presses(ctx, "Yes")
	p.ends(exitOK, "Yes\n", "")
	got := map[string]string{}
	for _, f := range o.slack.Files() {
		got[f.Name] = string(f.Content)
	}
	if len(got) != 2 || got["change.diff"] != "-a\r\n+b" || got["stdin.txt"] != "from a pipe" {
		t.Errorf("uploaded files: %q", got)
	}
}

func TestAskReportsAllFileErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	long := filepath.Join(folder, "long.txt")
	if err := os.WriteFile(long, []byte(strings.Repeat("x", ask.MaxFileText+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "", "ask", "--url", "http://127.0.0.1:1", "--file", "absent.txt", "--file", long, "--file", "a b="+long, "--file", "-", "--file", "-", "--file", folder, "Go?", "Yes", "No")
	p.ends(exitUsage, "", "--file[0]: open absent.txt: no such file or directory")
	reply := p.stderr.String()
	for _, want := range []string{
		"--file[1]: has more than 524288 bytes", "--file[2].name: must be a plain name", "--file[3].text: must not be empty",
		"--file[4]: is standard input, which --file[3] has taken", "--file[4].name: is that of --file[3] too", "--file[5]: read " + folder, "--file: has 6 files; at most 5",
	} {
		if !strings.Contains(reply, want) {
			t.Errorf("output lacks %q:\n%s", want, reply)
		}
	}
	start(t, "{}", "ask", "--dialect", "claude", "--file", long).ends(exitUsage, "", "--file goes with a question in words, not with --dialect")
}
