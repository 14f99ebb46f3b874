package bundle

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// listTime limits the listing of the bot's servers.
const listTime = time.Minute

// serves reports whether the section allows a server.
func (s *Section) serves(server string) bool {
	return len(s.Servers) == 0 || slices.Contains(s.Servers, server)
}

var installations = provider.Command{
	Name:  "installations",
	Short: "List the servers that the bot is in",
	Long: `installations asks Discord for the servers that the bot is in, and says which of them askbridge serves:
all, or those under servers in the configuration. A server there that the bot is not in is listed, too.`,
	Example:    "  askbridge discord installations --config askbridge.yaml",
	Configured: true,
	Flags: func(*flag.FlagSet) provider.Print {
		return func(configured func() (provider.Section, error)) (string, error) {
			section, err := configured()
			if err != nil {
				return "", err
			}
			s, _ := section.(*Section)
			if s == nil {
				return "", errors.New("the configuration has no section discord")
			}
			ctx, cancel := context.WithTimeout(context.Background(), listTime)
			defer cancel()
			return s.installations(ctx)
		}
	},
}

// printable replaces control characters in a name that other people chose.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, name)
}

// installations returns the table of the bot's servers.
func (s *Section) installations(ctx context.Context) (string, error) {
	in, err := newExam(s).servers(ctx)
	if err != nil && !errors.Is(err, errNoServer) {
		return "", err
	}
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tNAME\tSTATUS") // Writing to memory cannot fail, here and below.
	slices.SortFunc(in, func(a, b server) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	for _, server := range in {
		status := "served"
		if !s.serves(server.ID) {
			status = "ignored: not in discord.servers"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", server.ID, printable(server.Name), status)
	}
	for _, id := range s.Servers {
		if !slices.ContainsFunc(in, func(known server) bool { return known.ID == id }) {
			_, _ = fmt.Fprintf(table, "%s\t\tthe bot is not in this server: askbridge discord invite\n", id)
		}
	}
	_ = table.Flush()
	return out.String(), nil
}

// listed compares discord.servers with the servers that the bot is in.
func (x *exam) listed(ctx context.Context) {
	const id = "discord/servers"
	in, err := x.servers(ctx)
	if err != nil && !errors.Is(err, errNoServer) {
		x.r.Add(id, doctor.Note, "Try again.", "%v", err)
		return
	}
	ignored, fine := []string{}, true
	for _, server := range in {
		if !x.cfg.serves(server.ID) {
			ignored = append(ignored, printable(server.Name)+" ("+server.ID+")")
		}
	}
	for _, listed := range x.cfg.Servers {
		if !slices.ContainsFunc(in, func(known server) bool { return known.ID == listed }) {
			fine = false
			x.r.Add(id, doctor.Broken, "Invite it with the link of askbridge discord invite, or remove the server from the list.",
				"discord.servers has %s, and the bot is not in that server", listed)
		}
	}
	if len(ignored) > 0 {
		fine = false
		x.r.Add(id, doctor.Note, "Add them to discord.servers, or have the bot removed there.", "the bot is ignored in servers that discord.servers does not list: %s", strings.Join(ignored, ", "))
	}
	if fine {
		x.r.OK(id, "the bot is in all servers of discord.servers, and in no other")
	}
}
