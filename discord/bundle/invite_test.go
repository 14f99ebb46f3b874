package bundle_test

import (
	"net/url"
	"strconv"
	"testing"

	"github.com/askbridge/askbridge/discord/bundle"
)

func TestInviteLinkPermissions(t *testing.T) {
	t.Parallel()
	link, err := bundle.Invite("123456789012345678")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := strconv.ParseUint(u.Query().Get("permissions"), 10, 64)
	if err != nil || bits != 1<<10|1<<11|1<<15|1<<16|1<<38 || u.Query().Get("scope") != "bot" || u.Query().Get("client_id") != "123456789012345678" {
		t.Errorf("%s: %b, %v", link, bits, err)
	}
	for _, bad := range []string{"", "askbridge", "1234", "123456789012345678&permissions=8"} {
		if link, err := bundle.Invite(bad); err == nil {
			t.Errorf("%q makes %s", bad, link)
		}
	}
}
