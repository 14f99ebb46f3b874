//go:build hosts

package hosts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// keepProgram is how long the program of a checkout stays in the cache after its last test.
const keepProgram = 7 * 24 * time.Hour

// built is the path of askbridge, built once per process. It is in the cache of the hosts rather than in the checkout, because
// the hook refuses to be installed from a temporary folder, and a checkout may be in one. Each checkout has its own program.
var built = sync.OnceValues(func() (string, error) {
	checkout, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	programs := filepath.Join(cache, "askbridge-hosts", "programs")
	sum := sha256.Sum256([]byte(checkout))
	folder := filepath.Join(programs, hex.EncodeToString(sum[:6]))
	path := filepath.Join(folder, "askbridge")
	out, err := exec.Command("go", "build", "-trimpath", "-o", path, "../../cmd/askbridge").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build askbridge: %w\n%s", err, out)
	}
	now := time.Now()
	return path, errors.Join(os.Chtimes(folder, now, now), prunePrograms(programs, now.Add(-keepProgram)))
})

// prunePrograms removes the programs of checkouts that were last tested before a time.
func prunePrograms(folder string, before time.Time) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) || err == nil && info.ModTime().After(before) {
			continue // Another test process removed it, or it is in use.
		}
		if err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name()))); err != nil {
			return err
		}
	}
	return nil
}
