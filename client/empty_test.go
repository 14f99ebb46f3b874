package client_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/client"
)

// TestEmptyIDRejected makes no call: without an ID, the path would name another resource.
func TestEmptyIDRejected(t *testing.T) {
	t.Parallel()
	c, err := client.New("http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := c.Get(ctx, ""); return err },
		"wait":   func() error { _, err := c.Wait(ctx, ""); return err },
		"cancel": func() error { _, err := c.Cancel(ctx, "", ""); return err },
		"resend": func() error { _, err := c.Resend(ctx, ""); return err },
		"grant":  func() error { _, err := c.RevokeGrant(ctx, ""); return err },
		"token":  func() error { _, err := c.RevokeToken(ctx, ""); return err },
		"result": func() error { _, err := c.ToolResult(ctx, "", "claude", nil); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "the id is empty") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := c.Get(ctx, ".."); return err },
		"cancel": func() error { _, err := c.Cancel(ctx, ".", ""); return err },
		"token":  func() error { _, err := c.RevokeToken(ctx, ".."); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "is no id") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
