package discord

import (
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/chatsim/discordsim"
)

// Routine reconnects by Discord stay below level warn.
func TestReconnectRequestIsLoggedAtInfo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cut   func(*discordsim.Server)
		level string
	}{
		"asked to reconnect": {func(s *discordsim.Server) { s.Reconnect() }, "INFO"},
		"cut":                {func(s *discordsim.Server) { s.DropGateways() }, "WARN"},
		"refused":            {func(s *discordsim.Server) { s.CloseGateways(4014) }, "ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overGateway(t, func(t *testing.T, w *fixture) {
				tc.cut(w.sim)
				pass(time.Second)
				var closed []string
				for line := range strings.Lines(w.log.String()) {
					if strings.Contains(line, "discord gateway is closed") {
						closed = append(closed, line)
					}
				}
				if len(closed) != 1 || !strings.Contains(closed[0], tc.level) {
					t.Errorf("log %q, want one line at %s", closed, tc.level)
				}
			})
		})
	}
}
