package bundle

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
)

// bits is a set of Discord's permissions, which its API writes as text.
// https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
type bits uint64

// UnmarshalText reads the decimal number.
func (b *bits) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("doctor: permissions: %w", err)
	}
	*b = bits(n)
	return nil
}

const (
	administrator bits = 1 << 3 // stands for all of them
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

// permissions are those that the bot uses, by the names that Discord shows.
func permissions() []permission {
	return []permission{
		{"View Channel", viewChannel},
		{"Send Messages", sendMessages},
		{"Read Message History", readHistory}, // to find a card whose post was not confirmed
		{"Send Messages in Threads", sendInThreads},
		{"Attach Files", attachFiles}, // to upload what is too long for a card
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
	var all bits
	for _, p := range permissions() {
		all |= p.Bit
	}
	query := url.Values{"client_id": {application}, "scope": {"bot"}, "permissions": {strconv.FormatUint(uint64(all), 10)}}
	return "https://discord.com/oauth2/authorize?" + query.Encode(), nil
}
