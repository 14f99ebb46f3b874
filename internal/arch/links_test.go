package arch

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// along lists the dependencies that a package may have, direct or indirect.
type along struct {
	// modules are the allowed external modules.
	modules []string
	// ours lists the allowed packages of this module; nil means all that the import table allows. A path
	// with "/..." is a whole tree.
	ours []string
}

var (
	// engine is what the bridge itself needs.
	engine = []string{uniseg, xtext, lru, xsync, xtime}
	// stored is what a store needs.
	stored = []string{nextJSON, xtext}
	// What comes with the SDKs.
	slackWired   = append([]string{slackSDK, websocket, nextJSON}, engine...)
	discordWired = append([]string{discordSDK, websocket, nextJSON, "golang.org/x/crypto"}, engine...)
	mcpWired     = append([]string{
		mcpSDK, jsonschema, nextJSON, udiff, "github.com/segmentio/asm", "github.com/segmentio/encoding", "github.com/yosida95/uritemplate/v3",
		"golang.org/x/oauth2", "golang.org/x/sys",
	}, engine...)
	// caller is what a program needs that calls a bridge elsewhere.
	caller = []string{"ask", "dialect", "dialect/...", "client", "internal/loopback", "internal/proof", "internal/spelling", "internal/strictjson", "internal/textinput", "internal/tokentext", "internal/visible", "internal/wait"}
)

// links has a row for every package that is promised to others (ARCHITECTURE.md).
var links = map[string]along{
	"ask":      {ours: []string{"internal/spelling", "internal/textinput"}},
	"dialect":  {ours: caller, modules: []string{nextJSON, udiff}},
	"resolver": {ours: caller, modules: []string{nextJSON, udiff}},

	"client":        {ours: caller, modules: []string{nextJSON, udiff}},
	"hosts/claude":  {ours: caller, modules: []string{nextJSON, udiff}},
	"hosts/connect": {ours: caller, modules: []string{eventStream, nextJSON, udiff, uuid, websocket}},

	"render":            {modules: []string{uniseg, xtext}},
	"render/blockkit":   {modules: []string{uniseg, xtext, slackSDK, websocket}},
	"render/components": {modules: []string{uniseg, xtext, nextJSON, discordSDK, websocket, "golang.org/x/crypto"}},

	"platform":          {modules: []string{uniseg, xtext}},
	"bridge/record":     {ours: []string{"ask", "internal/spelling", "internal/textinput", "internal/typed", "internal/wait"}, modules: []string{xtext}},
	"bridge":            {modules: engine},
	"bridge/storage":    {ours: []string{"ask", "bridge/record", "internal/spelling", "internal/textinput", "internal/typed", "internal/wait"}, modules: []string{xtext}},
	"bridge/observe":    {ours: []string{"ask", "bridge/record", "internal/spelling", "internal/textinput", "internal/typed", "internal/wait"}, modules: []string{xtext}},
	"bridge/bridgetest": {modules: append([]string{gocmp}, engine...)},
	"access":            {modules: append([]string{nextJSON, udiff}, engine...)},
	"webhook":           {modules: engine},
	"api":               {modules: append([]string{huma, nextJSON, udiff}, engine...)},
	"mcpserver":         {modules: mcpWired},

	"store":           {modules: stored},
	"store/keyvalue":  {modules: []string{xtext}},
	"store/seal":      {},
	"store/storetest": {modules: append([]string{gocmp, "pgregory.net/rapid"}, xtext)},
	"store/memory":    {modules: stored},
	"store/file":      {modules: append([]string{bbolt, "golang.org/x/sys"}, stored...)},
	"store/redis":     {modules: append([]string{redisSDK, "github.com/cespare/xxhash/v2", "go.uber.org/atomic", "golang.org/x/sys"}, stored...)},

	"slack": {modules: slackWired},

	"slack/install": {modules: slackWired},
	"discord":       {modules: discordWired},

	"chatsim":            {ours: []string{"chatsim/..."}},
	"chatsim/slacksim":   {modules: []string{websocket}, ours: []string{"chatsim", "chatsim/..."}},
	"chatsim/discordsim": {modules: []string{websocket}, ours: []string{"chatsim", "chatsim/..."}},
	"chatsim/mocks":      {modules: []string{websocket}, ours: []string{"chatsim", "chatsim/..."}},
	"chatsim/page":       {modules: []string{websocket}, ours: []string{"chatsim", "chatsim/..."}},

	"askbridgetest": {modules: slices.Concat([]string{huma, udiff}, slackWired, discordWired)},
}

// Importing one package must not pull in another: a client must not link the server, nor a program with a file store
// Redis.
func TestWhatComesAlongWithAPackage(t *testing.T) {
	t.Parallel()
	for pkg, may := range links {
		t.Run(pkg, func(t *testing.T) {
			t.Parallel()
			for _, dep := range deps(t, pkg) {
				path, of, _ := strings.Cut(dep, " ")
				rel, ours := strings.CutPrefix(path, module+"/")
				switch {
				case of == "", ours && rel == pkg:
				case !ours && !slices.Contains(may.modules, of):
					t.Errorf("importing %s pulls in %s; of other people's modules only %q may come along", pkg, path, may.modules)
				case ours && may.ours != nil && !slices.ContainsFunc(may.ours, func(pattern string) bool { return fits(pattern, rel) }):
					t.Errorf("importing %s pulls in %s; of ours only %q may come along", pkg, rel, may.ours)
				}
			}
		})
	}
}

func TestPublicPackagesListDependencies(t *testing.T) {
	t.Parallel()
	there := public(t)
	for _, pkg := range there {
		if _, ok := links[pkg]; !ok {
			t.Errorf("links has no row for %s: say what may come along with it, or put it under internal", pkg)
		}
	}
	for pkg := range links {
		if !slices.Contains(there, pkg) {
			t.Errorf("links has a row for %s, which is no public package", pkg)
		}
	}
}

// deps lists what a package links, each with its module, which is empty for the standard library.
func deps(t *testing.T, pkg string) []string {
	t.Helper()
	var all []string
	for dep := range strings.SplitSeq(listed(t).deps[module+"/"+pkg], ",") {
		all = append(all, dep+" "+listed(t).modules[dep])
	}
	return all
}

// public lists the packages that others may build on.
func public(t *testing.T) []string {
	t.Helper()
	var all []string
	for full := range listed(t).deps {
		pkg := strings.TrimPrefix(full, module+"/")
		// A platform's bundle implements an internal type, so other modules cannot use it.
		inside := slices.Contains(strings.Split(pkg, "/"), "internal") || path.Base(pkg) == "bundle"
		if inside || slices.ContainsFunc([]string{"cmd", "test", "examples", "scripts", "render/testdata"}, func(dir string) bool { return within(pkg, dir) }) {
			continue
		}
		all = append(all, pkg)
	}
	if len(all) == 0 {
		t.Fatal("there is no public package")
	}
	slices.Sort(all)
	return all
}

// listing is what go list prints about this module's packages and all that they import.
type listing struct {
	// deps are the packages of this module, each with everything that it imports, separated by commas.
	deps map[string]string
	// modules are the modules of all packages, empty for the standard library.
	modules map[string]string
}

func listed(t *testing.T) listing {
	t.Helper()
	l, err := golist()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return l
}

// golist runs go list once for all tests.
var golist = sync.OnceValues(func() (listing, error) {
	l := listing{deps: map[string]string{}, modules: map[string]string{}}
	cmd := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{with .Module}}{{.Path}}{{end}} {{join .Deps ","}}`, "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		l.modules[part[0]] = part[1]
		if part[1] == module {
			l.deps[part[0]] = part[2]
		}
	}
	return l, err
})
