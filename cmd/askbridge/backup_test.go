package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestAnOpenQuestionComesBackFromABackup(t *testing.T) {
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
		var out, complaints bytes.Buffer
		if got := run(ctx, args, &out, &complaints); got != code {
			t.Fatalf("%v: exit code %d: %s", args, got, complaints.String())
		}
		return out.String() + complaints.String()
	}
	kept := filepath.Join(dir, "kept.jsonl")
	if said := command(exitFailed, "store", "backup", "--to", kept, "--config", settings); !strings.Contains(said, "has this file open") || !strings.Contains(said, "stop that until this is done") {
		t.Errorf("while it is in use backup says %s", said)
	}
	first.kill(syscall.SIGTERM)
	if said := command(exitOK, "store", "backup", "--to", kept, "--config", settings); !strings.Contains(said, "1 requests and") {
		t.Errorf("backup says %s", said)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the backup: %v, %v", info, err)
	}

	other, settings := at("new.db")
	for _, want := range []string{"1 requests and", "0 requests and"} {
		if said := command(exitOK, "store", "restore", "--from", kept, "--config", settings); !strings.Contains(said, want) {
			t.Errorf("restore says %s, want %q", said, want)
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
		if said := command(exitUsage, append([]string{"store"}, append(strings.Fields(args), "--config", settings)...)...); !strings.Contains(said, want) {
			t.Errorf("%s says %s", args, said)
		}
	}
}

func TestABackupToADashIsOnStandardOutput(t *testing.T) {
	t.Parallel()
	old, fresh := configuration(t, fmt.Sprintf("{type: file, path: %q}", filepath.Join(t.TempDir(), "old.db"))), configuration(t, "{type: file, path: fresh.db}")
	newPrompt(t).says(exitOK, "", "token", "create", "ops", "--config", old)
	p := start(t, "", "store", "backup", "--to", "-", "--config", old)
	_ = p.cmd.Wait() // How it ended is in its state.
	if said := p.stderr.String(); p.cmd.ProcessState.ExitCode() != exitOK || said != "0 requests and 1 values beside them are on standard output.\n" {
		t.Errorf("exit code %d, and it says %s", p.cmd.ProcessState.ExitCode(), said)
	}
	if left, err := os.ReadDir(p.cmd.Dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	start(t, p.stdout.String(), "store", "restore", "--from", "-", "--config", fresh).ends(exitOK, "0 requests and 1 values beside them were restored.\n", "")
}

func TestABackupDoesNotTakeThePlaceOfItsStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept, again := filepath.Join(dir, "askbridge.db"), filepath.Join(dir, "again.db")
	settings := configuration(t, fmt.Sprintf("{type: file, path: %q}", kept))
	p := newPrompt(t)
	p.says(exitOK, "", "token", "create", "ops", "--config", settings)
	if err := os.Symlink(kept, again); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{kept, again, dir + "/./askbridge.db"} {
		if _, said := p.says(exitUsage, "", "store", "backup", "--to", to, "--config", settings); !strings.Contains(said, "--to is the store of the configuration") {
			t.Errorf("to %s backup says %s", to, said)
		}
	}
	p.says(exitOK, "", "token", "list", "--config", settings)
}
