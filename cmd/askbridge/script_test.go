package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askbridge/askbridge/test/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askbridge": main, "acp": acpMain, "codex": codexMain, "claude": claudeMain})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Updating(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
