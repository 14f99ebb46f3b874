package loopback

import "testing"

func TestWhatThisMachineAloneCanReach(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"localhost": true, "LocalHost:80": true, "127.0.0.1": true, "127.8.7.6:8080": true, "::1": true, "[::1]": true, "[::1]:8080": true,
		"::ffff:127.0.0.1": true,
		"":                 false, ":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "10.0.0.7": false, "askbridge.example:443": false,
		"localhost.example": false, "127.0.0.1.example": false, "128.0.0.1": false,
	} {
		if got := Is(address); got != want {
			t.Errorf("%q: %t", address, got)
		}
	}
}
