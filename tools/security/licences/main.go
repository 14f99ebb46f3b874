// Command licences lists the licences of all modules that the program links, and
// fails where one asks for more than to be named or is not known.
//
//	licences -dir ../.. -check docs/reference/licences.md
//	licences -dir ../.. -write docs/reference/licences.md
//	licences -dir ../.. -texts THIRD-PARTY-LICENSES.txt
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// program is what is given to others, so what it links counts.
const program = "./cmd/askbridge"

// allowed are the licences that ask for their text and the names of the authors to go
// along, and for nothing more: https://spdx.org/licenses/. MPL-2.0 asks for the source of
// its own files where they are changed, which they are not; CC-BY-4.0 is of documents.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "Unlicense", "MPL-2.0", "CC-BY-4.0"}

// enough is how much of a file, in percent, has to be the text of known licences. The
// rest is names and years.
const enough = 75

// module is a module that the program links.
type module struct {
	Path, Version, Dir string
	licences           []string
	files              []string
}

func main() {
	var (
		dir   = flag.String("dir", ".", "the `folder` of the repository")
		check = flag.String("check", "", "fail unless this `file` of the repository is the list")
		write = flag.String("write", "", "write the list into this `file` of the repository")
		texts = flag.String("texts", "", "write the texts of all licences into this `file`")
	)
	flag.Parse()
	if err := run(context.Background(), *dir, *check, *write, *texts); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, check, write, texts string) error {
	modules, err := linked(ctx, dir)
	if err != nil {
		return err
	}
	var problems []error
	for n := range modules {
		problems = append(problems, modules[n].read())
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	list := page(modules)
	if check != "" {
		data, err := os.ReadFile(filepath.Join(dir, check))
		if err != nil {
			return err
		}
		if !bytes.Equal(data, list) {
			return fmt.Errorf("%s is not what the program links; run \"make licences\"", check)
		}
		fmt.Printf("licences: %d modules, all of them free to go along\n", len(modules))
	}
	if write != "" {
		if err := os.WriteFile(filepath.Join(dir, write), list, 0o644); err != nil {
			return err
		}
	}
	if texts == "" {
		return nil
	}
	all, err := together(modules)
	if err != nil {
		return err
	}
	return os.WriteFile(texts, all, 0o644)
}

// linked returns the modules of all packages that the program is made of, on any of the
// systems it is built for.
func linked(ctx context.Context, dir string) ([]module, error) {
	found := map[string]module{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", program)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for packages := json.NewDecoder(bytes.NewReader(out)); ; {
			var pkg struct {
				Module *struct {
					module
					Main bool
				}
			}
			if err := packages.Decode(&pkg); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			if pkg.Module != nil && !pkg.Module.Main {
				found[pkg.Module.Path] = pkg.Module.module
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return cmp.Compare(a.Path, b.Path) }), nil
}

// read looks for the licences of a module, in its uppermost folder.
func (m *module) read() error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		m.files = append(m.files, e.Name())
		if strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return err
		}
		cover := licensecheck.Scan(text)
		if cover.Percent < enough {
			return fmt.Errorf("%s: %s is no licence that is known (%.0f %% of it is)", m.Path, e.Name(), cover.Percent)
		}
		for _, match := range cover.Match {
			if !slices.Contains(allowed, match.ID) {
				return fmt.Errorf("%s: %s is under %s, which is none of %s", m.Path, e.Name(), match.ID, strings.Join(allowed, ", "))
			}
			if !slices.Contains(m.licences, match.ID) {
				m.licences = append(m.licences, match.ID)
			}
		}
	}
	if len(m.licences) == 0 {
		return fmt.Errorf("%s: has no licence", m.Path)
	}
	return nil
}

// page is the list for people.
func page(modules []module) []byte {
	var b bytes.Buffer
	b.WriteString("# Licences\n\nThe modules that the program links, as `make licences` found them. Their texts come with every package, in\n" +
		"`THIRD-PARTY-LICENSES.txt`. `make security` fails when one is added whose licence asks for more than to be named.\n\n" +
		"| Module | Version | Licence |\n|---|---|---|\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Path, m.Version, strings.Join(m.licences, ", "))
	}
	return b.Bytes()
}

// together are the texts of all licences, those that are alike once.
func together(modules []module) ([]byte, error) {
	var order []string
	whose := map[string][]string{}
	for _, m := range modules {
		for _, name := range m.files {
			data, err := os.ReadFile(filepath.Join(m.Dir, name))
			if err != nil {
				return nil, err
			}
			text := strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n"))
			if whose[text] == nil {
				order = append(order, text)
			}
			whose[text] = append(whose[text], m.Path+" "+m.Version)
		}
	}
	var b bytes.Buffer
	b.WriteString("askbridge links the modules named below. Each is under the licence that follows its name.\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(whose[text], "\n"), text)
	}
	return b.Bytes(), nil
}
