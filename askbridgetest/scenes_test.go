package askbridgetest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/askbridgetest"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/chatsim"
)

func TestScenesPlayTheSameOnEveryPlatform(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../chatsim/testdata/scenes/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenes, %v", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scene, err := chatsim.ParseScene(filepath.Base(file), raw)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, platform := range []string{askbridgetest.Slack, askbridgetest.Discord} {
			t.Run(strings.TrimSuffix(scene.Name, ".txtar")+" on "+platform, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := askbridgetest.Start(t, &askbridgetest.Options{
						Platforms: []string{platform}, Typed: scene.Typed(), Inbox: scene.Commands(), Bridge: &bridge.Options{Rules: ask.Rules{MaxQuestions: 10}},
					})
					cast := w.Cast()
					cast.Onward = []string{"Answer", "Answer…", "Next"}
					if err := scene.Play(t.Context(), cast); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}
