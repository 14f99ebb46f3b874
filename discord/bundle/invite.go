package bundle

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
)

// bits is a set of Discord permissions, which the API encodes as text.
// https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
type bits uint64

// UnmarshalText parses a decimal number.
func (b *bits) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("doctor: permissions: %w", err)
	}
	*b = bits(n)
	return nil
}

const (
	administrator bits = 1 << 3 // implies all others
	viewChannel   bits = 1 << 10
	sendMessages  bits = 1 << 11
	attachFiles   bits = 1 << 15
	readHistory   bits = 1 << 16
	sendInThreads bits = 1 << 38
)

type permission struct {
	Name string
	Bit  bits
}

// permissions are the permissions that the bot uses, with Discord's names.
func permissions() []permission {
	return []permission{
		{"View Channel", viewChannel},
		{"Send Messages", sendMessages},
		{"Read Message History", readHistory}, // to find a card whose post was not confirmed
		{"Send Messages in Threads", sendInThreads},
		{"Attach Files", attachFiles}, // to upload content too long for a card
	}
}

var snowflake = regexp.MustCompile(`^\d{15,20}$`)

// Invite returns the link with which an administrator adds the bot to a Discord server, with
// only the permissions that it uses.
// https://docs.discord.com/developers/topics/oauth2#bot-authorization-flow
func Invite(application string) (string, error) {
	if !snowflake.MatchString(application) {
		return "", fmt.Errorf("%q is no application id; those look like 123456789012345678 (General Information in %s)", application, portal)
	}
	var all bits
	for _, p := range permissions() {
		all |= p.Bit
	}
	query := url.Values{"client_id": {application}, "scope": {"bot"}, "permissions": {strconv.FormatUint(uint64(all), 10)}}
	return "https://discord.com/oauth2/authorize?" + query.Encode(), nil
}
