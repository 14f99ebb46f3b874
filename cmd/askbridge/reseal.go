package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/askbridge/askbridge/internal/app"
	"github.com/askbridge/askbridge/store"
	"github.com/askbridge/askbridge/store/seal"
)

func newStoreKey() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Make a key for encryption.keys",
		Long: `key creates a key that encrypts the store. Standard output has only the key, and standard error its name in logs and
errors. Keep a copy elsewhere: data encrypted with a lost key is lost.`,
		Example: "  askbridge store key > /run/secrets/askbridge-store-keys",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key := seal.NewKey()
			ring, err := seal.Parse(key)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "its name: %s\n", ring.First())
			_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
			return err
		},
	}
}

func newReseal() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "reseal",
		Short: "Encrypt all stored data with the first key",
		Long: `reseal encrypts everything with the first key of encryption that is plain text or encrypted with another key, so that you can remove
the other keys afterwards. If the first line is plain, it decrypts everything.

Redis may be in use meanwhile, once every askbridge has loaded the new keys. For a store in a file, stop askbridge serve. After
an interrupt, run it again to continue.`,
		Example: "  askbridge store reseal --config askbridge.yaml",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			progress := newProgress(cmd.ErrOrStderr())
			defer progress.done()
			return rewriteStore(cmd, path, func(s app.Store) error {
				sealing, can := s.(store.Sealing)
				if !can || sealing.Keys() == nil {
					return usage(errors.New("the configuration has no encryption, so there is no key to seal with"))
				}
				n, err := store.Reseal(cmd.Context(), sealing, func(n store.Resealed) {
					progress.say("%d of %d requests, %d values, %d rewritten", n.Requests, n.Total, n.Values, n.Written)
				})
				progress.done()
				if err != nil {
					return fmt.Errorf("%d requests and values were rewritten; run it again to go on: %w", n.Written, err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%d requests and values were rewritten. Everything is %s now.\n", n.Written, form(sealing.Keys().Ring()))
				return nil
			})
		},
	}
	configFlag(cmd, &path)
	return cmd
}

// form describes how data is written with a list of keys.
func form(r *seal.Ring) string {
	if r.First() == seal.Plain {
		return "in clear"
	}
	return "sealed with key " + r.First()
}
