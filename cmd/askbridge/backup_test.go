package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/store"
)

func TestBackupRestoresOpenQuestion(t *testing.T) {
	t.Parallel()
	ctx, sim, dir := bounded(t), workspace(t), t.TempDir()
	at := func(db string) (store, settings string) {
		store = fmt.Sprintf("{type: file, path: %q}", filepath.Join(dir, db))
		settings = filepath.Join(dir, db+".yaml")
		text := fmt.Sprintf("store: %s\nslack: {bot_token: xoxb-sim, signing_secret: secret, api_url: %s}\n", store, sim.APIURL())
		if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return store, settings
	}
	old, settings := at("old.db")
	first := serve(t, sim, old)
	made, err := first.agent.Submit(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	command := func(code int, args ...string) string {
		t.Helper()
		var out, stderr bytes.Buffer
		if got := run(ctx, args, &out, &stderr); got != code {
			t.Fatalf("%v: exit code %d: %s", args, got, stderr.String())
		}
		return out.String() + stderr.String()
	}
	kept := filepath.Join(dir, "kept.jsonl")
	if reply := command(exitFailed, "store", "backup", "--to", kept, "--config", settings); !strings.Contains(reply, "has this file open") || !strings.Contains(reply, "stop that until this is done") {
		t.Errorf("backup of a store in use prints %s", reply)
	}
	first.kill(syscall.SIGTERM)
	if reply := command(exitOK, "store", "backup", "--to", kept, "--config", settings); !strings.Contains(reply, "1 requests and") {
		t.Errorf("backup prints %s", reply)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the backup: %v, %v", info, err)
	}

	other, settings := at("new.db")
	for _, want := range []string{"1 requests and", "0 requests and"} {
		if reply := command(exitOK, "store", "restore", "--from", kept, "--config", settings); !strings.Contains(reply, want) {
			t.Errorf("restore prints %s, want %q", reply, want)
		}
	}
	second := serve(t, sim, other)
	sim.DeliverTo(second.callbacks(), nil)
	if err := sim.Seat("U0000001").Press(ctx, "SQLite"); err != nil {
		t.Fatal(err)
	}
	if again, err := second.agent.Ask(ctx, request()); err != nil || again.ID != made.ID || again.State != ask.Answered {
		t.Errorf("asked again: %+v, %v", again, err)
	}
	for args, want := range map[string]string{"backup": "say --to", "restore": "say --from", "restore --from nowhere": "nowhere"} {
		if reply := command(exitUsage, append([]string{"store"}, append(strings.Fields(args), "--config", settings)...)...); !strings.Contains(reply, want) {
			t.Errorf("%s prints %s", args, reply)
		}
	}
}

func TestBackupToStandardOutput(t *testing.T) {
	t.Parallel()
	old, fresh := configuration(t, fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "old.db"))), configuration(t, "{type: file, path: fresh.db}")
	newPrompt(t).run(exitOK, "", "token", "create", "ops", "--config", old)
	p := start(t, "", "store", "backup", "--to", "-", "--config", old)
	_ = p.cmd.Wait() // ProcessState has the result.
	if reply := p.stderr.String(); p.cmd.ProcessState.ExitCode() != exitOK || reply != "0 requests and 1 other values are on standard output.\n" {
		t.Errorf("exit code %d: %s", p.cmd.ProcessState.ExitCode(), reply)
	}
	if left, err := os.ReadDir(p.cmd.Dir); err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	start(t, p.stdout.String(), "store", "restore", "--from", "-", "--config", fresh).ends(exitOK, "0 requests and 1 other values were restored.\n", "")
}

func TestBackupRefusesToOverwriteStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept, again := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "again.db")
	settings := configuration(t, fmt.Sprintf("{type: file, path: %q}", kept))
	p := newPrompt(t)
	p.run(exitOK, "", "token", "create", "ops", "--config", settings)
	if err := os.Symlink(kept, again); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{kept, again, dir + "/./askbridge.db"} {
		if _, stderr := p.run(exitUsage, "", "store", "backup", "--to", to, "--config", settings); !strings.Contains(stderr, "--to is the store of the configuration") {
			t.Errorf("backup to %s prints %s", to, stderr)
		}
	}
	p.run(exitOK, "", "token", "list", "--config", settings)
}

func TestDamagedBackupRestoresNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, fresh := configuration(t, fmt.Sprintf("{type: file, path: %q}", filepath.Join(dir, "old.db"))), configuration(t, fmt.Sprintf("{type: file, path: %q}", filepath.Join(dir, "fresh.db")))
	newPrompt(t).run(exitOK, "", "token", "create", "ops", "--config", old)
	kept := filepath.Join(dir, "kept.jsonl")
	newPrompt(t).run(exitOK, "", "store", "backup", "--to", kept, "--config", old)
	intact, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	for what, damaged := range map[string][]byte{
		"was cut off after 1 records": append([]byte(`{"record":"a1","data":{}}`+"\n"), intact[:len(intact)/2]...),
		"was cut off after 0 records": intact[:len(intact)/2],
		"something in it was changed": bytes.Replace(intact, []byte(`"value":"token/`), []byte(`"value":"tokem/`), 1),
	} {
		if err := os.WriteFile(kept, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		_, stderr := newPrompt(t).run(exitFailed, "", "store", "restore", "--from", kept, "--config", fresh)
		for _, want := range []string{"nothing was restored", what, "--from - < " + kept} {
			if !strings.Contains(stderr, want) {
				t.Errorf("got %q, want %q", stderr, want)
			}
		}
		if strings.Contains(stderr, "run it again") {
			t.Errorf("output advises a retry, which cannot help: %s", stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "fresh.db")); err == nil {
		t.Error("restore created a store")
	}
	// Restore from standard input keeps everything before the damage, which the error mentions.
	end := bytes.LastIndexByte(bytes.TrimSpace(intact), '\n') + 1
	if err := os.WriteFile(kept, intact[:end], 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(bounded(t), self, "store", "restore", "--from", "-", "--config", fresh)
	cmd.Args[0], cmd.Stdin = "askbridge", in
	const want = "0 requests and 1 values were restored: store: restore: the backup is damaged: it was cut off after 0 records and 1 values"
	if reply, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(reply), want) || strings.Contains(string(reply), "run it again") {
		t.Errorf("from standard input: %v, %s", err, reply)
	}
}

func TestConcurrentBackupsUseSeparateFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	holds := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("the backup is %q, %v, want %q", got, err, want)
		}
	}
	write := func(out io.Writer, text string) {
		t.Helper()
		if _, err := io.WriteString(out, text); err != nil {
			t.Error(err)
		}
	}
	_, err := intoFile(path, func(first io.Writer) (store.Counts, error) {
		write(first, "first ")
		_, err := intoFile(path, func(second io.Writer) (store.Counts, error) {
			write(second, "second")
			return store.Counts{}, nil
		})
		holds("second")
		write(first, "alone")
		return store.Counts{}, err
	})
	if err != nil {
		t.Error(err)
	}
	holds("first alone")
}

func TestBackupReplacesOnlyRegularFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	old := configuration(t, fmt.Sprintf("{type: file, path: %q}", at("old.db")))
	newPrompt(t).run(exitOK, "", "token", "create", "ops", "--config", old)
	for _, err := range []error{os.Mkdir(at("folder"), 0o700), os.Mkdir(at("disk"), 0o700), os.WriteFile(at("disk/kept"), nil, 0o600), os.Symlink("disk/kept", at("link"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, stderr := newPrompt(t).run(exitUsage, "", "store", "backup", "--to", at("folder"), "--config", old); !strings.Contains(stderr, "is no file") {
		t.Errorf("to a folder: %s", stderr)
	}
	newPrompt(t).run(exitOK, "", "store", "backup", "--to", at("link"), "--config", old)
	if kept, err := os.ReadFile(at("disk/kept")); err != nil || !bytes.Contains(kept, []byte(`"end"`)) {
		t.Errorf("target of the link has %q, %v", kept, err)
	}
	left, err := filepath.Glob(at("*.part"))
	if more, _ := filepath.Glob(at("disk/*.part")); err != nil || len(left)+len(more) > 0 {
		t.Errorf("files left: %v, %v, %v", left, more, err)
	}
}
