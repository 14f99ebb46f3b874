package bundle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/askbridge/askbridge/discord/bundle"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/platform"
)

func TestDeafSettingIsNamed(t *testing.T) {
	t.Parallel()
	hears := func(settings string) error {
		t.Helper()
		file := filepath.Join(t.TempDir(), "askbridge.yaml")
		text := fmt.Sprintf("discord: {mode: gateway, bot_token: token, %s}\n", settings)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		bundles := []provider.Bundle{bundle.Bundle()}
		cfg, err := config.Load(file, provider.Sections(bundles), false)
		if err != nil {
			t.Fatal(err)
		}
		c, err := cfg.Platforms["discord"].(*bundle.Section).Connector(provider.Outside{})
		if err != nil {
			t.Fatal(err)
		}
		return c.(platform.MessageReceiver).ReceivesMessages()
	}
	why := hears("messages: false")
	if why == nil {
		t.Fatal("ReceivesMessages() = nil although messages are disabled")
	}
	named := regexp.MustCompile(`\((.+)\)$`).FindStringSubmatch(why.Error())
	if named == nil {
		t.Fatalf("%q names no setting", why)
	}
	if err := hears(named[1]); err != nil {
		t.Errorf("with %s: %v", named[1], err)
	}
}
