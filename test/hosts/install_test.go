//go:build hosts

package hosts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// latest runs the newest versions instead of the pinned ones.
var latest = flag.Bool("latest", false, "run the newest version of each host")

// installed are the folders of the hosts, by host.
var installed = map[string]string{}

// install installs a host, unless the cache has it, and returns its folder.
func install(ctx context.Context, host string) (string, error) {
	manifest, err := os.ReadFile(filepath.Join("npm", host, "package.json"))
	if err != nil {
		return "", err
	}
	lock, err := os.ReadFile(filepath.Join("npm", host, "package-lock.json"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(slices.Concat(manifest, lock))
	folder := filepath.Join(cache, "askbridge-hosts", host+"-"+hex.EncodeToString(sum[:6]))
	if *latest {
		folder = filepath.Join(cache, "askbridge-hosts", host+"-latest")
		if manifest, err = unpinned(manifest); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(folder); err == nil && (!*latest || os.Getenv(isolatedVariable) != "") {
		return folder, nil
	}
	// A folder has its final name only once all of it is installed.
	part := folder + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := os.MkdirAll(part, 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(part, "package.json"), manifest, 0o600); err != nil {
		return "", err
	}
	if !*latest {
		if err := os.WriteFile(filepath.Join(part, "package-lock.json"), lock, 0o600); err != nil {
			return "", err
		}
	}
	// "npm ci" refuses a lockfile without the optional packages of platforms that the registry does not serve.
	if err := npm(ctx, part, "install"); err != nil {
		return "", err
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	fmt.Println("installed", host+":", versions(part))
	return folder, os.Rename(part, folder)
}

// npm runs npm in a folder.
func npm(ctx context.Context, folder string, args ...string) error {
	cmd := exec.CommandContext(ctx, "npm", append(args, "--no-audit", "--no-fund", "--loglevel=error")...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// manifestFile is the part of a package.json that is read here.
type manifestFile struct {
	Name         string            `json:"name,omitempty"`
	Private      bool              `json:"private,omitempty"`
	Version      string            `json:"version,omitempty"`
	Dependencies map[string]string `json:"dependencies,omitempty"`
}

// unpinned replaces the versions of a manifest by the newest ones, except that of the Node that runs the host.
func unpinned(manifest []byte) ([]byte, error) {
	var m manifestFile
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, err
	}
	for name := range m.Dependencies {
		if !strings.HasPrefix(name, "node-") {
			m.Dependencies[name] = "latest"
		}
	}
	return json.Marshal(m)
}

// versions names what is installed in a folder.
func versions(folder string) string {
	var all []string
	var m manifestFile
	read := func(path string, into *manifestFile) {
		data, err := os.ReadFile(filepath.Join(folder, path))
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			all = append(all, err.Error())
		}
	}
	read("package.json", &m)
	for name := range m.Dependencies {
		var p manifestFile
		read(filepath.Join("node_modules", name, "package.json"), &p)
		all = append(all, name+" "+p.Version)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
