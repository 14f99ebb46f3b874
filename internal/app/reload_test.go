package app_test

import (
	"errors"
	"testing"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/config"
)

// One that has read the file before its turn could take over what the other has replaced.
func TestOfTwoReloadsAtOnceTheFileThatWasReadLastHolds(t *testing.T) {
	t.Parallel()
	a, err := app.New(minimal(), nil)
	if err != nil {
		t.Fatal(err)
	}
	mistake := errors.New("line 3: a mistake")
	if _, err := a.Reload("auditor", func() (*config.Config, error) {
		if !a.Reloading() {
			t.Error("it is read while another reload may be under way")
		}
		return nil, mistake
	}); !errors.Is(err, mistake) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}
