package pager

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http"
	"regexp"

	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/app/doctor"
	"github.com/askbridge/askbridge/internal/app/provider"
)

// Bundle returns everything that the program knows about pagers.
func Bundle() provider.Bundle {
	return provider.Bundle{
		Name: Name, Title: "Pager", Help: "Set up pagers",
		Section: func() provider.Section { return &Section{} },
		Commands: []provider.Command{{
			Name: "dial", Short: "Print where a pager calls back",
			Flags: func(flags *flag.FlagSet) provider.Print {
				at := flags.String("at", "", "the bridge's `address`")
				return func(func() (provider.Section, error)) (string, error) {
					return *at + provider.Callback(Name) + "\n", nil
				}
			},
		}},
		Start: provider.Start{
			Question: "Number of the pager to ask on", Wants: "digits", Form: regexp.MustCompile(`^[0-9]+$`),
			Settings: []string{"key: ${PAGER_KEY}"}, Next: []string{"export PAGER_KEY=…    # on the pager's back"},
		},
	}
}

// Section is the pager section of the configuration.
type Section struct {
	APIURL string        `yaml:"api_url"`
	Key    config.Secret `yaml:"key"`
}

// Connector implements [provider.Section].
func (s *Section) Connector(o provider.Outside) (provider.Connector, error) {
	if !s.Key.Set() {
		return nil, fmt.Errorf("pager: settings: key is missing")
	}
	client := cmp.Or(o.HTTPClient, http.DefaultClient)
	return &connector{exchange: s.APIURL, key: s.Key.Reveal(), client: client, ready: make(chan struct{})}, nil
}

// Secret implements [provider.Section].
func (s *Section) Secret() string { return s.Key.Reveal() }

// Examine implements [provider.Section].
func (s *Section) Examine(ctx context.Context, r *doctor.Report, named doctor.Named) {
	const id = "pager/line"
	for _, place := range named.Routes {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.APIURL+"/lines/"+place.Channel, http.NoBody)
		if err != nil {
			r.Add(id, doctor.Broken, "Look at pager.api_url.", "not an address")
			return
		}
		reply, err := doctor.Send(http.DefaultClient, req)
		switch {
		case err != nil:
			r.Add(id, doctor.Broken, "Look at the network.", "cannot reach the exchange: %v", err)
		case reply.Status != http.StatusOK:
			r.Add(id, doctor.Broken, "Look at the number.", "no line %s", place.Channel)
		default:
			r.OK(id, "line %s exists", place.Channel)
		}
	}
}
