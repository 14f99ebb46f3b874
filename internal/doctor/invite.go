package doctor

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
)

// Permission is one of Discord's bits.
// https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
type Permission struct {
	Name string
	Bit  uint64
	// For says what it is good for.
	For string
}

// administrator stands for all permissions.
const administrator = 1 << 3

// Permissions are those that the bot uses.
func Permissions() []Permission {
	return []Permission{
		{"View Channel", 1 << 10, "to be where it asks"},
		{"Send Messages", 1 << 11, "to ask there"},
		{"Read Message History", 1 << 16, "to find a card again whose post was not confirmed, and to reply below one"},
		{"Send Messages in Threads", 1 << 38, "to ask in a thread"},
	}
}

var snowflake = regexp.MustCompile(`^\d{15,20}$`)

// Invite returns the link by which somebody who looks after a Discord server
// lets the bot in, with the permissions that it uses and no others.
// https://docs.discord.com/developers/topics/oauth2#bot-authorization-flow
func Invite(application string) (string, error) {
	if !snowflake.MatchString(application) {
		return "", fmt.Errorf("%q is no application id; those look like 123456789012345678 (General Information in %s)", application, portal)
	}
	var bits uint64
	for _, p := range Permissions() {
		bits |= p.Bit
	}
	query := url.Values{"client_id": {application}, "scope": {"bot"}, "permissions": {strconv.FormatUint(bits, 10)}}
	return "https://discord.com/oauth2/authorize?" + query.Encode(), nil
}

