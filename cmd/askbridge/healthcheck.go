package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// healthTime is how long a bridge may take to say that it is ready.
const healthTime = 3 * time.Second

func newHealthcheck() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask a running askbridge whether it is ready",
		Long: `healthcheck calls /readyz of a running askbridge. It is for containers without a shell or curl, and takes
at most three seconds.

Exit codes: 0 ready, 1 not ready or not running.`,
		Example: "  askbridge healthcheck --url http://127.0.0.1:8080",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTime)
			defer cancel()
			if err := ready(ctx, cmp.Or(url, os.Getenv("ASKBRIDGE_URL"), defaultBridge)); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "ready")
			return err
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "the `address` of the running askbridge (default $ASKBRIDGE_URL, or "+defaultBridge+")")
	return cmd
}

// ready asks the bridge at an address whether it is ready; its own words are the error if it is not.
func ready(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(address, "/")+"/readyz", http.NoBody)
	if err != nil {
		return usage(fmt.Errorf("--url: %w", err))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	return nil
}
