package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/askbridge/askbridge/ask"
)

// originFlags name the conversation in which the agent works.
type originFlags struct {
	place  string
	people []string
}

func (o *originFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&o.place, "origin", "", "the `place` you work in, as in slack:C0000001/<thread>, where a route with origin: true asks")
	flags.StringArrayVar(&o.people, "origin-user", nil, "the `id` of a person there to notify, as in slack:U0000001; repeat it for more")
}

// read returns the origin, or an error that names every problem and its flag.
func (o *originFlags) read() (ask.Origin, error) {
	origin := ask.Origin{People: o.people}
	switch {
	case o.place != "":
	case origin.IsZero():
		return origin, nil
	default:
		return origin, errors.New("--origin-user needs --origin")
	}
	var err error
	if origin.Place, err = ask.ParsePlace(o.place); err != nil {
		return origin, fmt.Errorf("--origin %w", err)
	}
	if problems := ask.CheckOrigin("--origin", origin); len(problems) > 0 {
		return origin, &ask.InvalidError{Problems: problems}
	}
	return origin, nil
}
