//go:build hosts

package hosts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/askbridge/askbridge/test/hosts/model"
	"github.com/askbridge/askbridge/test/logbuffer"
)

// frameworks are the folders of agent frameworks, which use the TypeScript SDK.
var frameworks = []string{"frameworks", "ai5", "ai6"}

// sdk is the folder of the TypeScript SDK.
const sdk = "../../sdk/typescript"

// equip installs the SDK and the programs of testdata into a host that needs them, unless it has these.
func equip(ctx context.Context, host, folder string) error {
	uses := slices.Contains(frameworks, host)
	if os.Getenv(isolatedVariable) != "" || !uses && host != "mcp" {
		return nil
	}
	sum := sha256.New()
	for _, pattern := range []string{sdk + "/src/*", sdk + "/package.json", "testdata/programs/*"} {
		if err := hash(sum, pattern); err != nil {
			return err
		}
	}
	stamp := filepath.Join(folder, "equipped.sha256")
	want := hex.EncodeToString(sum.Sum(nil))
	if got, err := os.ReadFile(stamp); err == nil && string(got) == want {
		return nil
	}
	if uses {
		if err := withSDK(ctx, folder); err != nil {
			return err
		}
	}
	programs := filepath.Join(folder, "programs") // There they find the packages of the host.
	if err := os.RemoveAll(programs); err != nil {
		return err
	}
	if err := os.CopyFS(programs, os.DirFS("testdata/programs")); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(want), 0o600)
}

// withSDK packs the TypeScript SDK and installs the tarball into a folder with frameworks, as in its README. npm checks
// the peer dependencies.
func withSDK(ctx context.Context, folder string) error {
	packed, err := os.MkdirTemp("", "askbridge-sdk-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(packed)
	// "npm pack" builds it too, but not where npm is configured to ignore scripts.
	if err := npm(ctx, sdk, "run", "build"); err != nil {
		return err
	}
	if err := npm(ctx, sdk, "pack", "--pack-destination", packed); err != nil {
		return err
	}
	tarballs, err := filepath.Glob(filepath.Join(packed, "askbridge-sdk-*.tgz"))
	if err != nil || len(tarballs) != 1 {
		return fmt.Errorf("npm pack made %q: %w", tarballs, err)
	}
	if err := os.RemoveAll(filepath.Join(folder, "node_modules", "@askbridge")); err != nil {
		return err
	}
	return npm(ctx, folder, "install", "--no-save", "--prefer-offline", tarballs[0])
}

// hash adds the files of a pattern to a sum.
func hash(sum io.Writer, pattern string) error {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n%s", file, len(data), data)
	}
	return nil
}

// runs starts a program of testdata/programs. The function that it returns waits for its end.
func (w *world) runs(name string, args ...string) (output *logbuffer.Buffer, ended func()) {
	w.Helper()
	env := w.environment("ASKBRIDGE_URL="+w.bridge(), "MODEL_URL="+w.model.URL(), "OPENAI_BASE_URL="+w.model.URL()+"/v1", "OPENAI_API_KEY=scripted",
		"OPENAI_AGENTS_DISABLE_TRACING=1", "LANGSMITH_TRACING=false")
	output, done := w.start(w.command(env, "node", append([]string{filepath.Join(w.host, "programs", name)}, args...)...))
	return output, func() {
		w.Helper()
		if err := <-done; err != nil {
			w.Errorf("%s: %v", name, err)
		}
	}
}

// aiSDK is a question by the tool for the Vercel AI SDK of a folder.
func aiSDK(folder string) []scenario {
	return []scenario{{"a question of the AI SDK is answered in chat", func(t *testing.T) {
		w := newWorld(t, folder, asks("ask_user", askUser)...)
		_, ended := w.runs("ai.mjs")
		w.play(`dana picks "SQLite"`)
		w.reads("call_1", "Which database?", "SQLite")
		ended()
	}}}
}

const deployment = `{"target":"production"}`

var frameworkScenarios = append(aiSDK("frameworks"),
	scenario{"LangChain runs the tool that a person allows", func(t *testing.T) {
		w := newWorld(t, "frameworks", asks("deploy", deployment)...)
		_, ended := w.runs("langchain.mjs")
		w.play(`dana presses "Allow" under "deploy"`)
		w.reads("call_1", "deployed to production")
		ended()
	}},
	scenario{"LangChain does not run the tool that a person denies", func(t *testing.T) {
		w := newWorld(t, "frameworks", asks("deploy", deployment)...)
		_, ended := w.runs("langchain.mjs")
		w.play(`dana presses "Deny" under "deploy"`)
		w.reads("call_1", "Dana did not allow this.")
		ended()
	}},
	scenario{"a LangGraph interrupt is answered in chat", func(t *testing.T) {
		w := newWorld(t, "frameworks")
		output, ended := w.runs("langgraph.mjs")
		w.play(`dana picks "SQLite"`)
		if ended(); output.String() != "Which database?\nSQLite\n" {
			t.Errorf("the graph got %q", output)
		}
	}},
	scenario{"an agent of OpenAI asks and runs the tool that a person allows", func(t *testing.T) {
		w := newWorld(t, "frameworks", model.Turn{Calls: []model.Call{{Tool: "ask_user", Input: askUser}}},
			model.Turn{Calls: []model.Call{{Tool: "deploy", Input: deployment}}}, model.Turn{Say: "All done."})
		_, ended := w.runs("openai-agents.mjs")
		w.play(`dana picks "SQLite"`)
		w.reads("call_1", "Which database?", "SQLite")
		w.play(`dana presses "Allow" under "deploy"`)
		w.reads("call_2", "deployed to production")
		ended()
	}},
)
