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
	all, err := pins()
	if err != nil {
		return "", err
	}
	manifest := manifestOf(host, all[host], *latest)
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
	fmt.Println("installed", host+":", versions(part, all[host]))
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

// versions names what is installed in a folder.
func versions(folder string, pins []pin) string {
	all := make([]string, 0, len(pins))
	for _, p := range pins {
		var m manifest
		data, err := os.ReadFile(filepath.Join(folder, "node_modules", p.pkg, "package.json"))
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		switch {
		case err != nil:
			all = append(all, err.Error())
		case m.Version == p.version:
			all = append(all, p.pkg+" "+m.Version)
		default:
			all = append(all, fmt.Sprintf("%s %s (pinned: %s)", p.pkg, m.Version, p.version))
		}
	}
	return strings.Join(all, ", ")
}
