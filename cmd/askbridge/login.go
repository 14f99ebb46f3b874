package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/askbridge/askbridge/access"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/internal/tokentext"
	"github.com/askbridge/askbridge/internal/wait"
)

// login is the saved login of a person at a shell. The token is sent only to that address.
type login struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// loginFile returns the path of the login, in the user's configuration folder.
func loginFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for a login: %w", err)
	}
	return filepath.Join(dir, "askbridge", "login.json"), nil
}

// readLogin returns the login, or an empty one.
func readLogin() (login, error) {
	path, err := loginFile()
	if err != nil {
		return login{}, nil //nolint:nilerr // Without such a folder there is no login.
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return login{}, nil
	}
	if err != nil {
		return login{}, fmt.Errorf("read the login: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return login{}, fmt.Errorf("%s can be read by others on this machine, so its token may be known to them; run askbridge logout, and have the token revoked", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return login{}, fmt.Errorf("read the login: %w", err)
	}
	var l login
	if json.Unmarshal(data, &l) != nil || l.URL == "" || l.Token == "" {
		return login{}, fmt.Errorf("%s holds no login; run askbridge login again", path)
	}
	return l, nil
}

// write replaces the login atomically. Only the user can read the file.
func (l login) write() (path string, err error) {
	if path, err = loginFile(); err != nil {
		return "", err
	}
	dir := filepath.Dir(path)
	if err = os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep the login: %w", err)
	}
	data, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "login-*") // It is made with 0600.
	if err != nil {
		return "", fmt.Errorf("keep the login: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("keep the login: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return path, nil
}

func newLogin() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Save an address and a token for your commands",
		Long: `login asks for a token, tries it at the bridge, and saves both in a private file (~/.config/askbridge/login.json on
Linux). From then on ask, answer, list, show, cancel, reply, resend, revise, audit, grant, token, webhooks, store erase and config
reload need neither flags nor environment variables, which still take precedence. The token is used only at its own address.

Without a terminal the token is read from standard input. Programs that run as the same user, agents included, can read the
file and use the token. askbridge logout deletes it.`,
		Example: `  askbridge login --url https://askbridge.example.com
  askbridge login < token.txt`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l := login{URL: cmp.Or(url, os.Getenv("ASKBRIDGE_URL"), defaultBridge)}
			// Check the address before the person types a token.
			_, err := client.New(l.URL, &client.Options{})
			if err != nil {
				return usage(err)
			}
			if l.Token, err = askToken(cmd); err != nil {
				return err
			}
			at := bridgeFlags{url: l.URL, token: l.Token}
			c, err := at.client(cmd.ErrOrStderr(), client.Options{Tries: operatorTries})
			if err != nil {
				return err
			}
			own, err := c.Self(cmd.Context())
			if err != nil {
				return fmt.Errorf("nothing was saved: %w", err)
			}
			path, err := l.write()
			if err != nil {
				return err
			}
			printLogin(cmd.OutOrStdout(), cmd.ErrOrStderr(), &l, own, path)
			return nil
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "the `address` of the running askbridge (default $ASKBRIDGE_URL, or http://127.0.0.1:8080)")
	return cmd
}

func printLogin(out, errs io.Writer, l *login, own *client.Token, path string) {
	fmt.Fprintf(out, "Logged in to %s as %s, who may %s.\n", l.URL, cmp.Or(own.Name, "anyone on this machine"), strings.Join(own.Scopes, ", "))
	if !own.ExpiresAt.IsZero() {
		fmt.Fprintf(out, "The token is valid until %s.\n", moment(own.ExpiresAt))
	}
	fmt.Fprintf(out, "It is saved in %s.\n", path)
	for _, risky := range []string{string(access.Answer), string(access.ManageTokens)} {
		if slices.Contains(own.Scopes, risky) {
			fmt.Fprintf(errs, "askbridge: every program that runs as you, agents included, can use this token, which has the scope %s; log out when you are done\n", risky)
		}
	}
}

// askToken prompts for a token without echo, or reads it from standard input.
func askToken(cmd *cobra.Command) (string, error) {
	text, err := "", error(nil)
	in := cmd.InOrStdin()
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		text, err = readHidden(cmd.Context(), int(f.Fd()), func() { fmt.Fprint(cmd.ErrOrStderr(), "Token (it is not shown): ") })
		fmt.Fprintln(cmd.ErrOrStderr())
	} else {
		text, err = bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	text = strings.TrimSpace(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the token: %w", err)
	case text == "":
		return "", usage(errors.New("missing token: type one, or pass it on standard input"))
	case tokentext.Is(text) && tokentext.Check(text) != nil:
		return "", usage(tokentext.ErrDamaged)
	}
	return text, nil
}

// hiddenTries is how often readHidden looks whether the echo is off, each millisecond. It was off before on some terminals.
const hiddenTries = 100

// readHidden prompts for a line and reads it without echo. It prompts once the echo is off, so that what people paste
// at once is not shown. An interrupt ends it and turns the echo on again.
func readHidden(ctx context.Context, terminal int, prompt func()) (string, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		data, err := term.ReadPassword(terminal)
		read <- line{string(data), err}
	}()
	for range hiddenTries {
		now, err := term.GetState(terminal)
		if err != nil || *now != *before || wait.For(ctx, time.Millisecond) != nil {
			break
		}
	}
	prompt()
	select {
	case <-ctx.Done():
		return "", errors.Join(context.Cause(ctx), term.Restore(terminal, before))
	case l := <-read:
		return l.text, l.err
	}
}

func newLogout() *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Delete the saved login",
		Long:  `logout deletes the file of askbridge login. The token stays valid: askbridge token revoke ends it.`,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := loginFile()
			if err != nil {
				return err
			}
			switch err := os.Remove(path); {
			case errors.Is(err, fs.ErrNotExist):
				fmt.Fprintln(cmd.OutOrStdout(), "Not logged in.")
			case err != nil:
				return fmt.Errorf("forget the login: %w", err)
			default:
				fmt.Fprintln(cmd.OutOrStdout(), "Logged out.")
			}
			return nil
		},
	}
}

// tokenName returns the name of a token for a call. If the argument is the token itself, only its ID is sent.
func tokenName(arg string) (string, error) {
	switch {
	case !tokentext.Is(arg):
		return arg, nil
	case tokentext.Check(arg) != nil:
		return "", usage(tokentext.ErrDamaged)
	}
	return access.IDOf(arg).String(), nil
}
