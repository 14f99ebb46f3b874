package bundle

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askbridge/askbridge/internal/app/provider"
	"github.com/askbridge/askbridge/slack"
	"github.com/askbridge/askbridge/slack/install"
)

// ManifestOptions customize the manifest.
type ManifestOptions struct {
	// Name is the name of the app and its bot; the default is askbridge.
	Name string
	// URL is the bridge's public URL, such as https://ask.example.com. If empty the app uses
	// Socket Mode.
	URL string
	// All has every feature without a setting, and With those of these switches, see
	// [slack.Feature]. The others are left out.
	All  bool
	With []string
	// Install is the bridge's public URL if several workspaces install the app over it.
	Install string
}

// maxAppName is the maximum length of an app's name
// (https://docs.slack.dev/reference/app-manifest).
const maxAppName = 35

// Manifest returns a Slack app manifest in YAML, to paste under "From a manifest":
// https://docs.slack.dev/app-manifests. It requests only what the features need.
func Manifest(o ManifestOptions) (string, error) {
	if o.Name == "" {
		o.Name = "askbridge"
	}
	if utf8.RuneCountInString(o.Name) > maxAppName || strings.ContainsFunc(o.Name, unicode.IsControl) {
		return "", fmt.Errorf("the name must have at most %d characters, all of them visible", maxAppName)
	}
	interactivity, events, commandURL := "    is_enabled: true\n", "", ""
	if o.URL != "" {
		address, err := requestURL(o.URL)
		if err != nil {
			return "", err
		}
		interactivity += "    request_url: " + address + "\n"
		events += "    request_url: " + address + "\n"
		commandURL = "      url: " + address + "\n"
	}
	names, kinds := o.grants()
	typed, redirect := slices.Contains(kinds, "message.im"), ""
	if o.Install != "" {
		address, err := publicURL(o.Install, install.CallbackPath)
		if err != nil {
			return "", err
		}
		redirect = "  redirect_urls:\n    - " + address + "\n"
		kinds = append(kinds, slack.InstallationEvents()...)
	}
	if len(kinds) > 0 {
		events = "  event_subscriptions:\n" + events + "    bot_events:" + map[bool]string{true: " # for typed answers"}[typed] + "\n"
		for _, kind := range kinds {
			events += "      - " + kind + "\n"
		}
	} else {
		events = ""
	}
	var scopes strings.Builder
	for _, s := range slices.Concat(slack.Scopes(), slack.SetupScopes()) {
		if slices.Contains(names, s.Name) {
			fmt.Fprintf(&scopes, "      - %s # %s\n", s.Name, s.For)
		}
	}
	name, home, command := strconv.Quote(o.Name), slices.Contains(kinds, slack.EventHome), ""
	if home {
		command = "  slash_commands:\n    - command: " + slack.Command + "\n" + commandURL +
			"      description: Shows what waits for you\n      usage_hint: \"[inbox | help]\"\n      should_escape: false\n"
	}
	agent := ""
	if slices.Contains(names, slack.ScopeAgent) {
		agent = "  agent_view:\n    agent_description: Asks people for agents, and waits for their answers\n"
	}
	return `display_information:
  name: ` + name + `
  description: Lets agents ask people, and hands back exactly what they chose
features:
` + agent + `  app_home:
    home_tab_enabled: ` + strconv.FormatBool(home) + `
    messages_tab_enabled: true # for questions in direct messages
    messages_tab_read_only_enabled: ` + strconv.FormatBool(!typed) + ` # whether people can type there
  bot_user:
    display_name: ` + name + `
    always_online: true
` + command + `oauth_config:
` + redirect + `  scopes:
    bot:
` + scopes.String() + `settings:
` + events + `  interactivity:
` + interactivity + `  org_deploy_enabled: ` + strconv.FormatBool(o.Install != "") + `
  socket_mode_enabled: ` + strconv.FormatBool(o.URL == "") + `
  token_rotation_enabled: ` + strconv.FormatBool(o.Install != "") + `
`, nil
}

// grants returns the scopes and the events of the features.
func (o *ManifestOptions) grants() (scopes, events []string) {
	for _, f := range slack.Features() {
		if f.Switch == "" || o.All && f.Setting == "" || slices.Contains(o.With, f.Switch) {
			scopes, events = append(scopes, f.Scopes...), append(events, f.Events...)
		}
	}
	return scopes, events
}

// requestURL returns the bridge's URL with the path that Slack posts to.
func requestURL(address string) (string, error) {
	return publicURL(address, provider.Callback(slack.Name))
}

// publicURL returns the bridge's URL with one of its paths.
func publicURL(address, path string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address must look like https://ask.example.com: Slack posts to https only")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), path) + path
	return u.String(), nil
}

// createLink returns the address of Slack's Create New App with a manifest filled in
// (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests).
func createLink(manifest string) string {
	var short strings.Builder
	for line := range strings.Lines(manifest) {
		if text, _, commented := strings.Cut(line, " #"); commented && !strings.Contains(line, `"`) {
			line = text + "\n"
		}
		short.WriteString(line)
	}
	return "https://api.slack.com/apps?" + url.Values{"new_app": {"1"}, "manifest_yaml": {short.String()}}.Encode() + "\n"
}
