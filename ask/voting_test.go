package ask

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVotingNormalForm(t *testing.T) {
	t.Parallel()
	no := false
	for text, want := range map[string]Voting{
		`{}`:             {},
		`null`:           {},
		`{"mode":null}`:  {},
		`{"need":1}`:     {},
		`{"needs":null}`: {},
		`{"mode":"first","need":1,"dismiss":1,"show":"live","change":true}`: {},
		`{"need":2}`:                             {Mode: Quorum, Need: 2},
		`{"need":"2"}`:                           {Mode: Quorum, Need: 2},
		`{"mode":"quorum","need":1}`:             {Mode: Quorum, Need: 1},
		`{"mode":"quorum","need":"majority"}`:    {Mode: Quorum, Need: Majority},
		`{"need":"all"}`:                         {Mode: Quorum, Need: All},
		`{"need":3,"needs":{"Stop":1}}`:          {Mode: Quorum, Need: 3, Needs: map[string]int{"Stop": 1}},
		`{"mode":"poll"}`:                        {Mode: Poll},
		`{"mode":"poll","need":1,"needs":{}}`:    {Mode: Poll},
		`{"mode":"poll","need":4}`:               {Mode: Poll, Need: 4},
		`"{\"need\":2}"`:                         {Mode: Quorum, Need: 2},
		`{"need":2,"change":false,"dismiss":2}`:  {Mode: Quorum, Need: 2, Dismiss: 2, Change: &no},
		`{"need":2,"show":"sealed","dismiss":1}`: {Mode: Quorum, Need: 2, Show: ShowSealed},
	} {
		r, ignored, err := DecodeRequest([]byte(`{"policy":` + text + `}`))
		if err != nil || ignored != nil {
			t.Errorf("%s: %v, ignored %q", text, err, ignored)
		}
		if diff := cmp.Diff(want, r.Voting); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if r.Voting.IsZero() != (want.Mode == First) {
			t.Errorf("%s: IsZero() = %t", text, r.Voting.IsZero())
		}
		again, err := json.Marshal(r.Voting)
		var back Voting
		if err != nil || json.Unmarshal(again, &back) != nil {
			t.Errorf("%s: marshaled %s, %v", text, again, err)
		}
		if diff := cmp.Diff(r.Voting, back); diff != "" {
			t.Errorf("%s: round trip: %s", text, diff)
		}
	}
}

func TestInvalidVotingReportsPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`7`:                                "policy: must be a JSON object",
		`{"mode":"quorum"}`:                "policy.need: is missing",
		`{"mode":"quorums","need":2}`:      `policy.mode: "quorums" is not first, quorum or poll`,
		`{"mode":"first","need":2}`:        "policy.need: goes with the mode",
		`{"mode":"first","needs":{"A":1}}`: "policy.needs: goes with the mode",
		`{"show":"sealed"}`:                "policy.mode: is missing",
		`{"need":0}`:                       `policy.need: "0" is neither a number`,
		`{"need":-1}`:                      `policy.need: "-1" is neither a number`,
		`{"need":"most"}`:                  `policy.need: "most" is neither a number`,
		`{"need":11}`:                      "policy.need: must be between 1 and 10",
		`{"need":2,"dismiss":11}`:          "policy.dismiss: must be between 1 and 10",
		`{"need":2,"dismiss":0}`:           "policy.dismiss: \"0\" is no number",
		`{"need":2,"show":"never"}`:        `policy.show: "never" is not live, count or sealed`,
		`{"need":2,"needs":{"Maybe":1}}`:   "policy.needs.Maybe: no option has this label",
		`{"need":2,"needs":{"Both":1}}`:    "policy.needs.Both: options of 2 questions",
		`{"need":2,"needs":{"A":99}}`:      "policy.needs.A: must be between 1 and 10",
		`{"need":2,"needs":["A"]}`:         "policy.needs: must be a JSON object",
		`{"mode":"poll","needs":{"A":1}}`:  "policy.needs: belongs to a quorum",
		`{"need":2,"change":"perhaps"}`:    "policy.change: must be true or false",
		`{"need":2,"need":3}`:              "policy.need: appears twice",
	} {
		r, _, err := DecodeRequest([]byte(`{"questions":[{"question":"One?","options":["A","Both"]},{"question":"Two?","options":["B","Both"]}],"policy":` + text + `}`))
		if err == nil {
			err = r.Validate(nil)
		}
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestValidVoting(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"need":10,"needs":{"A":1,"B":10},"dismiss":10}`, `{"need":"all"}`, `{"need":"majority"}`, `{"mode":"poll","show":"sealed"}`, `{"mode":"first"}`} {
		r, _, err := DecodeRequest([]byte(`{"questions":[{"question":"One?","options":["A","Both"]},{"question":"Two?","options":["B","Both"]}],"policy":` + text + `}`))
		if err == nil {
			err = r.Validate(nil)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestVotingWithin(t *testing.T) {
	t.Parallel()
	no := false
	for _, tt := range []struct {
		name                string
		floor, request, got Voting
		refused             bool
	}{
		{"neither says anything", Voting{}, Voting{}, Voting{}, false},
		{"the larger number holds", Voting{Mode: Quorum, Need: 2}, Voting{Mode: Quorum, Need: 3}, Voting{Mode: Quorum, Need: 3}, false},
		{"also where the request has the smaller one", Voting{Mode: Quorum, Need: 3}, Voting{Mode: Quorum, Need: 2}, Voting{Mode: Quorum, Need: 3}, false},
		{"labels too", Voting{Mode: Quorum, Need: 3, Needs: map[string]int{"Stop": 1}}, Voting{Mode: Quorum, Need: 2, Needs: map[string]int{"Stop": 2, "Go": 1}}, Voting{Mode: Quorum, Need: 3, Needs: map[string]int{"Stop": 2, "Go": 3}}, false},
		{"what shows less holds", Voting{Mode: Poll, Show: ShowCount}, Voting{Mode: Poll, Show: ShowSealed}, Voting{Mode: Poll, Show: ShowSealed}, false},
		{"also where the request shows more", Voting{Mode: Poll, Show: ShowCount}, Voting{Mode: Poll}, Voting{Mode: Poll, Show: ShowCount}, false},
		{"a vote that stays, stays", Voting{Mode: Poll, Change: &no}, Voting{Mode: Poll}, Voting{Mode: Poll, Change: &no}, false},
		{"dismissing is made no harder", Voting{Mode: Poll}, Voting{Mode: Poll, Dismiss: 3}, Voting{Mode: Poll}, false},
		{"but easier", Voting{Mode: Poll, Dismiss: 3}, Voting{Mode: Poll, Dismiss: 2}, Voting{Mode: Poll, Dismiss: 2}, false},
		{"a poll is no quorum", Voting{Mode: Quorum, Need: 2}, Voting{Mode: Poll}, Voting{}, true},
	} {
		got, ok := tt.request.Within(tt.floor)
		if diff := cmp.Diff(tt.got, got); diff != "" || ok == tt.refused {
			t.Errorf("%s: %t, %s", tt.name, ok, diff)
		}
	}
}
