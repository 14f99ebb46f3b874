package record

import (
	"slices"
	"testing"

	"github.com/askbridge/askbridge/ask"
)

func TestCopyNotified(t *testing.T) {
	t.Parallel()
	channel, direct := ask.Place{Platform: "slack", Channel: "C1"}, ask.Place{Platform: "slack", User: "U1"}
	for name, tt := range map[string]struct {
		copy Copy
		want []string
	}{
		"a card in a channel":                 {Copy{Target: channel, State: Posted}, []string{"slack:U1", "slack:U2", "slack-group:S1"}},
		"a card that was deleted":             {Copy{Target: channel, State: Lost}, []string{"slack:U1", "slack:U2", "slack-group:S1"}},
		"a card that waits":                   {Copy{Target: channel, State: Delayed}, nil},
		"a card that cannot be posted":        {Copy{Target: channel, State: Undeliverable}, nil},
		"a second card":                       {Copy{Target: channel, State: Posted, Adopted: true}, nil},
		"a silent card":                       {Copy{Target: channel, State: Posted, Quiet: true}, nil},
		"a card that missed a person":         {Copy{Target: channel, State: Posted, Missed: []Missed{{Who: "slack:U2", Why: "gone"}}}, []string{"slack:U1", "slack-group:S1"}},
		"a message to one of them":            {Copy{Target: direct, State: Posted}, []string{"slack:U1"}},
		"a card where none of them are":       {Copy{Target: ask.Place{Platform: "pager", Channel: "1"}, State: Posted}, nil},
		"a card on the other platform":        {Copy{Target: ask.Place{Platform: "discord", Channel: "1"}, State: Posted}, []string{"discord:1"}},
		"a message to another person (by id)": {Copy{Target: ask.Place{Platform: "slack", User: "U9"}, State: Posted}, nil},
	} {
		r := openRecord(singleQ())
		r.Audience = &Audience{Who: []string{"slack:U1", "slack:U2", "slack-group:S1", "discord:1"}}
		if got := Notified(r, tt.copy); !slices.Equal(got, tt.want) {
			t.Errorf("%s notified %q, want %q", name, got, tt.want)
		}
	}
}

func TestUnreachablePeopleHaveReasons(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Audience = &Audience{Who: []string{"discord:1"}, Unknown: []string{"oncall:payments", "requester"}}
	want := []Missed{
		{Who: "oncall:payments", Why: "no one was on call when the request was made"},
		{Who: "requester", Why: "unknown: the caller's token names no requester"},
		{Who: "discord:1", Why: "no card of the request can notify them"},
	}
	if got := Unnotified(r, 0); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A request without a notify list must store nothing about notifications.
func TestNoNotifyListStoresNoAudience(t *testing.T) {
	t.Parallel()
	r := openRecord(singleQ())
	r.Copies = []Copy{{Target: ask.Place{Platform: "slack", Channel: "C1"}, State: Pending}}
	card := NewCard{Ref: MessageRef{Platform: "slack", Channel: "C1", Message: "1"}, Revision: 1, Quiet: true, Missed: []Missed{{Who: "slack:U1", Why: "gone"}}}
	if _, err := r.ApplyReport(Report{Copies: []Result{card}}, start); err != nil || r.Copies[0].Quiet || r.Copies[0].Missed != nil {
		t.Errorf("the copy is %+v, %v", r.Copies[0], err)
	}
	r.Audience = &Audience{Who: []string{"slack:U1"}}
	r.Copies[0] = Copy{Target: r.Copies[0].Target, State: Pending}
	if _, err := r.ApplyReport(Report{Copies: []Result{card}}, start); err != nil || !r.Copies[0].Quiet || len(r.Copies[0].Missed) != 1 {
		t.Errorf("the copy is %+v, %v", r.Copies[0], err)
	}
}

// A form that names no card, such as one from an older version, must not bypass the rule about its recipient.
func TestDirectRequestRejectsOthersWithoutCard(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		who     string
		public  bool
		verdict Verdict
	}{
		"the person":                        {"U1", false, Completed},
		"another person":                    {"U2", false, Forbidden},
		"another person with a public card": {"U2", true, Completed},
		"the recipient, with a public card": {"U1", true, Completed},
	} {
		r := openRecord(singleQ())
		direct := r.Copies[0]
		direct.Target, direct.Ref = ask.Place{Platform: "slack", User: "U1"}, MessageRef{Platform: "slack", Channel: "D1", Message: "m2"}
		if r.Copies = append(r.Copies, direct); !tt.public {
			r.Copies = r.Copies[1:]
		}
		press := by(tt.who, 1, ask.Choose, 0, 0)
		press.Message = MessageRef{}
		if got, _ := r.judged(press, DraftMode{}, start); got.Verdict != tt.verdict {
			t.Errorf("%s: got %q, want %q", name, got.Verdict, tt.verdict)
		}
	}
}
