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
		Long: `key makes a key that the store is encrypted with, and prints it, and nothing else, on standard output. The name that it goes by
in logs and errors goes to standard error. Keep a copy elsewhere: what is sealed with a key that is lost is lost.`,
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
		Short: "Encrypt everything that is kept with the first key",
		Long: `reseal writes anew whatever another key than the first one of encryption has sealed, or what stands in clear, so that the other
lines among the keys can be taken away afterwards. With the line plain first it does the reverse, and nothing is encrypted any more.

A Redis can be in use meanwhile, once every askbridge has read the new keys; a store in a file cannot, so stop askbridge serve. It
can be interrupted, and goes on where it was when it is run again.`,
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
					progress.say("%d of %d requests, %d values, %d written anew", n.Requests, n.Total, n.Values, n.Written)
				})
				progress.done()
				if err != nil {
					return fmt.Errorf("%d requests and values were written anew; run it again to go on: %w", n.Written, err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%d requests and values were written anew. Everything is %s now.\n", n.Written, form(sealing.Keys().Ring()))
				return nil
			})
		},
	}
	configFlag(cmd, &path)
	return cmd
}

// form says how a list of keys has everything be written.
func form(r *seal.Ring) string {
	if r.First() == seal.Plain {
		return "in clear"
	}
	return "sealed with key " + r.First()
}
