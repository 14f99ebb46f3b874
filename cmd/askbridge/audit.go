package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/internal/app/audit"
	"github.com/askbridge/askbridge/internal/textinput"
	"github.com/askbridge/askbridge/internal/visible"
)

// auditDesk is where a trail is read: a running bridge, or the store without one.
type auditDesk interface {
	Audit(ctx context.Context, q client.AuditQuery) (*client.AuditPage, error)
	EraseAudit(ctx context.Context, e client.AuditErase) (*client.AuditErased, error)
}

// auditCommand is what all commands about the trail have in common.
type auditCommand struct {
	at     bridgeFlags
	config string
	tenant string
	cursor string
}

func newAudit() *cobra.Command {
	a := &auditCommand{}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read, check and export the audit trail",
		Long: `audit reads the trail of what people, agents and operators decided. askbridge serve keeps one if its configuration has audit.
The commands call a running askbridge, with a token that has the scope admin. With --config they open the store of that
configuration directly; stop askbridge serve first if the store is a file.`,
		Example: `  askbridge audit key
  askbridge audit show p0123456789abcdef
  askbridge audit verify --key 3b6a27bc…
  askbridge audit export --texts > trail.jsonl`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	a.at.addForPeople(flags)
	flags.StringVarP(&a.config, "config", "c", "", "open the store of this configuration `file` instead of calling a running askbridge")
	flags.StringVar(&a.tenant, "tenant", "", "only the chain of this `tenant` (default all; events that belong to no request have a chain without a tenant)")
	cmd.AddCommand(a.key(), a.export(), a.verify(), a.show(), a.heads(), a.erase())
	return cmd
}

// with runs f where the trail is read.
func (a *auditCommand) with(cmd *cobra.Command, f func(auditDesk) error) (err error) {
	if a.config == "" {
		c, err := a.at.client(cmd.ErrOrStderr(), client.Options{Tries: operatorTries})
		if err != nil {
			return err
		}
		return f(c)
	}
	cfg, err := loadKept(a.config)
	if err != nil {
		return err
	}
	desk, err := app.OpenAudit(cmd.Context(), cfg, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)))
	if err != nil {
		return inUse(err, "leave --config out and ask that, with a token that has the scope admin")
	}
	defer func() { err = errors.Join(err, desk.Close()) }()
	return f(desk)
}

// read writes the trail to out, and returns the key that its heads are signed with.
func (a *auditCommand) read(cmd *cobra.Command, out io.Writer, texts bool) (key string, err error) {
	q := client.AuditQuery{Texts: texts, Cursor: a.cursor}
	if cmd.Flags().Changed("tenant") {
		q.Tenant = &a.tenant
	}
	progress := newProgress(cmd.ErrOrStderr())
	defer progress.done()
	err = a.with(cmd, func(d auditDesk) error {
		for lines := 0; ; {
			p, err := d.Audit(cmd.Context(), q)
			if err != nil {
				return goOn(err, q.Cursor)
			}
			if _, err := io.WriteString(out, p.Trail); err != nil {
				return err
			}
			lines += strings.Count(p.Trail, "\n")
			progress.say("%d lines", lines)
			if key = p.Key; p.Next == "" {
				return nil
			}
			q.Cursor = p.Next
		}
	})
	return key, err
}

// goOn adds to an error how to continue after an interrupt.
func goOn(err error, cursor string) error {
	if cursor == "" {
		return err
	}
	return fmt.Errorf("%w\nGo on with: --cursor %s", err, cursor)
}

func (a *auditCommand) key() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Make a key for audit.key",
		Long: `key creates a key that signs the heads of a trail. Standard output has only the key. Its public key goes to standard
error: keep it where the operators of askbridge cannot change it.`,
		Example: "  askbridge audit key > /run/secrets/askbridge-audit-key",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			private, public := audit.NewKey()
			fmt.Fprintf(cmd.ErrOrStderr(), "public key: %s\n", public)
			_, err := fmt.Fprintln(cmd.OutOrStdout(), private)
			return err
		},
	}
}

func (a *auditCommand) export() *cobra.Command {
	var texts bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print the trail as JSON lines",
		Long: `export prints the trail as it was signed: one JSON object per line, in the order of each chain. With --texts the lines also have
what people wrote, and their names. askbridge audit verify checks the output.`,
		Example: "  askbridge audit export --texts > trail.jsonl",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := bufio.NewWriter(cmd.OutOrStdout())
			_, err := a.read(cmd, out, texts)
			return errors.Join(err, out.Flush())
		},
	}
	cmd.Flags().BoolVar(&texts, "texts", false, "with what people wrote, and their names")
	cmd.Flags().StringVar(&a.cursor, "cursor", "", "go on at this `place`, where an export was interrupted")
	return cmd
}

func (a *auditCommand) verify() *cobra.Command {
	var key, heads string
	cmd := &cobra.Command{
		Use:   "verify [file...]",
		Short: "Check the trail for changes",
		Long: `verify reads files written by export or audit.file, in order, or the trail of a running askbridge. It reports
changed bytes, lines that were removed, inserted or cut off, and missing events of a request, and then exits with 1. It also
exits with 1 if there are no events at all. A complete batch that appears again is counted once, with a note: copies and
overlapping files can hold one twice.

Without --key it trusts the public key in the trail. To find lines that were cut from the end of a file, give --heads the
output of an earlier askbridge audit heads. --tenant reads one chain of a running askbridge, and only the heads of that chain.`,
		Example: `  askbridge audit verify --key 3b6a27bc… trail.jsonl
  askbridge audit heads > heads.jsonl     # and keep it elsewhere
  askbridge audit verify --heads heads.jsonl /var/lib/askbridge/audit.jsonl`,
		RunE: func(cmd *cobra.Command, files []string) error {
			switch public, err := hex.DecodeString(key); {
			case key != "" && (err != nil || len(public) != ed25519.PublicKeySize):
				return usage(fmt.Errorf("--key takes a public key, which has %d hex digits", hex.EncodedLen(ed25519.PublicKeySize)))
			case len(files) > 0 && cmd.Flags().Changed("tenant"):
				return usage(errors.New("--tenant goes with the trail of a running askbridge, not with files, which are read as a whole"))
			}
			known, err := a.readHeads(cmd, heads)
			if err != nil {
				return usage(err)
			}
			report, err := a.check(cmd, files, strings.ToLower(key), known)
			if err != nil {
				return err
			}
			if report.Lines == 0 && len(known) == 0 {
				report.Problems = append(report.Problems, "there are no events here, or they were removed: compare with heads that were kept elsewhere (--heads)")
			}
			out := cmd.OutOrStdout()
			for _, note := range report.Notes {
				fmt.Fprintf(out, "note: %s\n", note)
			}
			for _, p := range report.Problems {
				fmt.Fprintf(out, "%s\n", p)
			}
			fmt.Fprintf(out, "%d events, %d with text, in %d chains: ", report.Lines, report.Texts, len(report.Heads))
			switch n := len(report.Problems); n {
			case 0:
			case 1:
				fmt.Fprintln(out, "1 problem")
				return &exit{code: exitFailed}
			default:
				fmt.Fprintf(out, "%d problems\n", n)
				return &exit{code: exitFailed}
			}
			fmt.Fprintln(out, "nothing was changed")
			return nil
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "the public `key` that the heads have to be signed with")
	cmd.Flags().StringVar(&heads, "heads", "", "a `file` of heads that were kept elsewhere")
	return cmd
}

// check verifies files, or the trail of a running askbridge.
func (a *auditCommand) check(cmd *cobra.Command, files []string, key string, known []audit.Head) (audit.Report, error) {
	if len(files) == 0 {
		in, out := io.Pipe()
		go func() {
			_, err := a.read(cmd, out, true)
			_ = out.CloseWithError(err) // The reader gets it.
		}()
		report, err := audit.Verify(in, key, known)
		_ = in.Close()
		return report, err
	}
	var all []io.Reader
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return audit.Report{}, err
		}
		defer func() { _ = f.Close() }() // Only read.
		all = append(all, f)
	}
	return audit.Verify(io.MultiReader(all...), key, known)
}

// readHeads reads heads that were kept elsewhere: those of one tenant, with --tenant.
func (a *auditCommand) readHeads(cmd *cobra.Command, path string) ([]audit.Head, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if data, err = textinput.UTF8(data); err != nil { // A shell may have written what audit heads printed as UTF-16.
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []audit.Head
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var h audit.Head
		if err := d.Decode(&h); err != nil || h.N == 0 {
			return nil, fmt.Errorf("%s is no file of heads, as askbridge audit heads prints them", path)
		}
		all = append(all, h)
	}
	if cmd.Flags().Changed("tenant") {
		all = slices.DeleteFunc(all, func(h audit.Head) bool { return h.Tenant != a.tenant })
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no heads to compare with", path)
	}
	return all, nil
}

func (a *auditCommand) heads() *cobra.Command {
	return &cobra.Command{
		Use:   "heads",
		Short: "Print the head of each chain, to keep elsewhere",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := a.check(cmd, nil, "", nil)
			if err != nil {
				return err
			}
			for _, h := range report.Heads {
				if err := json.NewEncoder(cmd.OutOrStdout()).Encode(h); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (a *auditCommand) show() *cobra.Command {
	return &cobra.Command{
		Use:   "show request",
		Short: "Print the trail of a request",
		Long: `show prints the events of one request. It can be named by the first characters of its ID, at least four, if no other request in
the trail begins with them. A running askbridge adds the names of channels and people as they are now.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usage(fmt.Errorf("name one request\nSee: %s --help", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in, out := io.Pipe()
			go func() {
				_, err := a.read(cmd, out, true)
				_ = out.CloseWithError(err) // The reader gets it.
			}()
			defer func() { _ = in.Close() }()
			return showTrail(cmd.OutOrStdout(), in, args[0], a.names(cmd))
		},
	}
}

// names returns what writes names into a line of a request: those that a running bridge knows.
func (a *auditCommand) names(cmd *cobra.Command) func(request, text string) string {
	known := map[string]*client.Request{}
	return func(request, text string) string {
		r, asked := known[request]
		if !asked && a.config == "" {
			if c, err := a.at.client(io.Discard, client.Options{Tries: 1}); err == nil {
				r, _ = c.Get(cmd.Context(), request) // One that is gone has no names.
			}
			known[request] = r
		}
		if r == nil {
			return text
		}
		return accountOrPlace.ReplaceAllStringFunc(text, func(id string) string {
			at, err := ask.ParsePlace(id)
			if name := r.Names[client.NameKey(at)]; err == nil && name != "" {
				return visible.Line(name) + " (" + id + ")"
			}
			return id
		})
	}
}

// accountOrPlace matches people and places in a line of the trail.
var accountOrPlace = regexp.MustCompile(`\b[a-z]+(@\w+)?:@?\w+(/[\w.]+)?`)

// showTrail prints the events of a request, named by its ID or the beginning of it.
func showTrail(to io.Writer, from io.Reader, request string, named func(request, text string) string) error {
	table := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	lines := bufio.NewReader(from)
	found, belongs := map[string]bool{}, int64(0)
	for {
		data, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var l audit.Line
		var beside struct {
			Text *audit.Text `json:"text"`
		}
		if strings.HasPrefix(data, `{"text":`) {
			if json.Unmarshal([]byte(data), &beside) == nil && beside.Text != nil && beside.Text.N == belongs {
				for _, line := range beside.Text.Said {
					fmt.Fprintf(table, "\t\t\t%q\n", line)
				}
			}
			continue
		}
		belongs = 0
		if json.Unmarshal([]byte(data), &l) != nil {
			continue
		}
		if l.Request == request || len(request) >= minPrefix && strings.HasPrefix(l.Request, request) {
			found[l.Request] = true
		} else if l.Detail != request && !found[l.Detail] {
			continue // One that is about to be withdrawn is the detail of a line of no request.
		}
		belongs = l.N
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", l.At.UTC().Format(time.RFC3339), l.Kind, named(l.Request, cmp.Or(l.By, l.Agent)), named(l.Request, what(&l)))
	}
	switch len(found) {
	case 0:
		return fmt.Errorf("the trail has no events of %s; they are written within a second or two and kept for audit.keep_for", request)
	case 1:
		return table.Flush()
	}
	return severalBegin(slices.Sorted(maps.Keys(found)), "in the trail ", request)
}

// what describes what was chosen, or where.
func what(l *audit.Line) string {
	var all []string
	for _, c := range l.Choices {
		chosen := strings.Join(c.Labels, " + ")
		switch {
		case c.Skipped:
			chosen = "skipped"
		case c.Typed && chosen == "":
			chosen = "typed"
		case c.Typed:
			chosen += " and typed"
		}
		all = append(all, fmt.Sprintf("%d: %s", c.Question+1, chosen))
	}
	if len(all) == 0 {
		return l.Detail
	}
	return strings.TrimSpace(l.Detail + " " + strings.Join(all, "; "))
}

func (a *auditCommand) erase() *cobra.Command {
	var e client.AuditErase
	var sure bool
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Erase what a person wrote from the trail",
		Long: `erase removes typed texts and names from the trail: of a person, of a request, or of a person in a request. Choices stay, and so do
the platform's user IDs. The chain stays valid and records the erasure. Chat, backups and copies exported with --texts are not
changed, and neither is the request itself: askbridge store erase removes the texts from both.`,
		Example: "  askbridge audit erase --tenant deploy-bot --person slack:U0123ABCD --yes",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !cmd.Flags().Changed("tenant"):
				return usage(errors.New("say --tenant, whose requests they are"))
			case e.Person == "" && e.Request == "":
				return usage(errors.New("say whose texts to erase: --person, --request, or both"))
			case !sure:
				return usage(errors.New("this cannot be undone; say --yes if you mean it"))
			}
			e.Tenant, e.Cursor = a.tenant, a.cursor
			progress := newProgress(cmd.ErrOrStderr())
			defer progress.done()
			lines := 0
			err := a.with(cmd, func(d auditDesk) (err error) {
				lines, err = eraseAll(cmd.Context(), d, e, func(n int) { progress.say("%d events have lost their text", n) })
				return err
			})
			if err != nil {
				return err
			}
			progress.done()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d events have lost their text\n", lines)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&a.tenant, "tenant", "", "the `tenant` whose requests they are")
	flags.StringVar(&e.Person, "person", "", "the `person` who wrote it, as in slack:U0123ABCD")
	flags.StringVar(&e.Request, "request", "", "the `request` that it was written for")
	flags.StringVar(&a.cursor, "cursor", "", "go on at this `place`, where an erasure was interrupted")
	flags.BoolVar(&sure, "yes", false, "yes, erase it")
	return cmd
}

// eraseAll erases in the trail of one tenant, share by share.
func eraseAll(ctx context.Context, desk auditDesk, e client.AuditErase, progress func(int)) (lines int, err error) {
	for {
		erased, err := desk.EraseAudit(ctx, e)
		if err != nil {
			return lines, goOn(err, e.Cursor)
		}
		lines += erased.Lines
		progress(lines)
		if e.Cursor = erased.Next; e.Cursor == "" {
			return lines, nil
		}
	}
}
