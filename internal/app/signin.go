package app

import (
	"time"

	"github.com/askbridge/askbridge/api"
	"github.com/askbridge/askbridge/internal/app/config"
	"github.com/askbridge/askbridge/internal/signin"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// signIn creates the configured sign-in of the console; nil for none, and before the store is open.
func signIn(cfg *config.Config, values keyvalue.Store) (api.SignIn, error) {
	c := cfg.Console
	if c.SignIn == nil || values == nil {
		return nil, nil //nolint:nilnil // No sign-in is no mistake.
	}
	s := c.SignIn
	return signin.New(signin.Options{
		Address: c.Address, Issuer: s.Issuer, ClientID: s.ClientID, ClientSecret: s.ClientSecret.Reveal(), Scopes: s.Scopes,
		Tenant: cfg.SignInTenant(), Session: time.Duration(s.Session),
		Roles: signin.Roles{Claim: s.Roles.Claim, Read: s.Roles.Read, Act: s.Roles.Act, Admin: s.Roles.Admin},
	}, values)
}
