package record

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// deploy is one question that people vote on.
func deploy() ask.Question {
	return ask.Question{Text: "Deploy 4.2?", Options: options("Deploy", "Wait", "Stop")}
}

// voted returns an open vote, on Slack or on both platforms.
func voted(rule ask.Voting, questions ...ask.Question) *Record {
	r := openRecord(questions...)
	r.Voting = &Voting{Rule: rule}
	return r
}

func (r *Record) onBoth(links map[string]string) *Record {
	r.Voting.Links = links
	r.Copies = append(r.Copies, Copy{
		Target: ask.Place{Platform: "discord", Channel: "1"}, State: Posted, Rendered: 1, Ref: MessageRef{Platform: "discord", Channel: "1", Message: "2"},
	})
	return r
}

// onDiscord moves an act to Discord.
func (a Act) onDiscord() Act {
	a.By.Platform, a.ID = "discord", "discord-"+a.ID
	a.Message = MessageRef{Platform: "discord", Channel: "1", Message: "2"}
	return a
}

// summary shows a request in one line: its state, the decision and the deciding vote, the reason if there is none,
// and who voted for what.
func summary(r *Record) string {
	o := r.Outcome
	line := string(o.State)
	for _, a := range o.Answers {
		line += fmt.Sprintf(" %s (%s)", strings.Join(append(a.Selected, a.Other), ","), a.By.ID)
	}
	if o.Reason != "" {
		line += " " + o.Reason
	}
	votes := o.Votes
	if r.Open() {
		votes = countOf(r).votes()
	}
	var all []string
	for _, v := range votes {
		what := "dismiss"
		if !v.Dismissed {
			what = ""
			for _, c := range v.Choices {
				what += strings.Join(c.Selected, ",") + c.Other
			}
		}
		all = append(all, v.By.ID+":"+what)
	}
	return line + " | " + strings.Join(all, " ")
}

func TestVoteOutcomes(t *testing.T) {
	t.Parallel()
	pick := func(who string, order int64, option int) Act { return by(who, order, ask.Choose, 0, option) }
	dismiss := func(who string, order int64) Act { return by(who, order, ask.Dismiss, -1, -1) }
	back := func(who string, order int64) Act { return by(who, order, ask.TakeBack, -1, -1) }
	type step struct {
		a       Act
		verdict Verdict
	}
	two := ask.Voting{Mode: ask.Quorum, Need: 2}
	linked := map[string]string{"slack:U1": "dana", "discord:U1": "dana", "slack:U2": "sam", "discord:U2": "sam"}
	for _, tt := range []struct {
		name  string
		rule  ask.Voting
		r     func(*Record) *Record
		steps []step
		late  bool
		want  string
	}{
		{
			name: "two people have to choose the same", rule: two,
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 1), Counted}, {pick("U3", 3, 0), Completed}},
			want:  "answered Deploy, (U1) | U1:Deploy U2:Wait U3:Deploy",
		},
		{
			name: "a second vote replaces the first", rule: two,
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U1", 2, 0), Counted}, {pick("U1", 1, 0), Repeated}},
			want:  "open | U1:Deploy",
		},
		{
			name: "a vote that is delivered again keeps its place", rule: two,
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 1), Counted}, {pick("U1", 1, 0), Repeated}},
			want:  "open | U1:Deploy U2:Wait",
		},
		{
			name: "a vote can be changed until it is decided", rule: two,
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U1", 2, 1), Counted}, {pick("U2", 3, 0), Counted}, {pick("U3", 4, 1), Completed}, {pick("U2", 5, 1), Closed}},
			want:  "answered Wait, (U1) | U1:Wait U2:Deploy U3:Wait",
		},
		{
			name: "an older vote that comes late does not undo a newer one", rule: two,
			steps: []step{{pick("U1", 5, 1), Counted}, {pick("U1", 3, 0), Stale}, {pick("U2", 6, 0), Counted}},
			want:  "open | U1:Wait U2:Deploy",
		},
		{
			name: "a vote can be taken back", rule: two,
			steps: []step{{pick("U1", 1, 0), Counted}, {back("U1", 2), Counted}, {pick("U1", 1, 0), Repeated}, {pick("U2", 3, 0), Counted}, {back("U3", 4), Unvoted}},
			want:  "open | U2:Deploy",
		},
		{
			name: "a vote stays where votes cannot be changed", rule: ask.Voting{Mode: ask.Quorum, Need: 2, Change: new(false)},
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U1", 2, 1), Final}, {back("U1", 3), Final}, {dismiss("U1", 4), Final}, {pick("U2", 5, 0), Completed}},
			want:  "answered Deploy, (U1) | U1:Deploy U2:Deploy",
		},
		{
			name: "one veto is enough where a label asks for one", rule: ask.Voting{Mode: ask.Quorum, Need: 3, Needs: map[string]int{"Stop": 1}},
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 0), Counted}, {pick("U3", 3, 2), Completed}},
			want:  "answered Stop, (U3) | U1:Deploy U2:Deploy U3:Stop",
		},
		{
			name: "a label may take more people than the others", rule: ask.Voting{Mode: ask.Quorum, Need: 1, Needs: map[string]int{"Deploy": 3}},
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 0), Counted}, {pick("U3", 3, 0), Completed}},
			want:  "answered Deploy, (U1) | U1:Deploy U2:Deploy U3:Deploy",
		},
		{
			name: "anybody may dismiss the request", rule: two,
			steps: []step{{pick("U1", 1, 0), Counted}, {dismiss("U2", 2), Completed}},
			want:  "cancelled dismissed | U1:Deploy U2:dismiss",
		},
		{
			name: "a dismissal has a quorum of its own and is no choice", rule: ask.Voting{Mode: ask.Quorum, Need: 2, Dismiss: 2},
			steps: []step{{dismiss("U1", 1), Counted}, {pick("U2", 2, 0), Counted}, {by("U3", 3, ask.Reply, -1, -1).writing(-1, "not on a Friday"), Completed}},
			want:  "cancelled not on a Friday | U1:dismiss U2:Deploy U3:dismiss",
		},
		{
			name: "who dismisses and then chooses has chosen", rule: ask.Voting{Mode: ask.Quorum, Need: 2, Dismiss: 2},
			steps: []step{{dismiss("U1", 1), Counted}, {pick("U1", 2, 0), Counted}, {dismiss("U2", 3), Counted}},
			want:  "open | U1:Deploy U2:dismiss",
		},
		{
			name: "accounts of one person on two platforms are one vote", rule: two, r: func(r *Record) *Record { return r.onBoth(linked) },
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U1", 9, 0).onDiscord(), Counted}, {pick("U2", 2, 0), Completed}},
			want:  "answered Deploy, (U1) | U1:Deploy U2:Deploy",
		},
		{
			name: "the newest vote of a person counts, whichever account gave it", rule: two, r: func(r *Record) *Record { return r.onBoth(linked) },
			steps: []step{{pick("U1", 7, 0), Counted}, {pick("U1", 1, 1).onDiscord(), Counted}, {pick("U1", 7, 0), Repeated}, {pick("U2", 8, 0), Counted}, {back("U1", 8), Counted}},
			want:  "open | U2:Deploy",
		},
		{
			name: "unlinked accounts count on one platform only", rule: two, r: func(r *Record) *Record { return r.onBoth(nil) },
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U9", 1, 0).onDiscord(), Counted}, {pick("U8", 2, 0).onDiscord(), Completed}},
			want:  "answered Deploy, (U1) | U1:Deploy U9:Deploy U8:Deploy",
		},
		{
			name: "at the deadline what is not decided is not answered", rule: two, late: true,
			steps: []step{{pick("U1", 1, 0), Counted}},
			want:  "expired quorum: 1 of 2 | U1:Deploy",
		},
		{
			name: "no votes", rule: two, late: true, want: "expired nobody answered in time | ",
		},
		{
			name: "typed text is a choice of its own and never a label", rule: two,
			steps: []step{
				{by("U1", 1, ask.Type, 0, -1).writing(0, "Deploy"), Counted},
				{pick("U2", 2, 0), Counted},
				{by("U3", 3, ask.Type, 0, -1).writing(0, "deploy"), Counted},
				{by("U4", 4, ask.Type, 0, -1).writing(0, " Deploy "), Completed},
			},
			want: "answered Deploy (U1) | U1:Deploy U2:Deploy U3:deploy U4:Deploy",
		},
		{
			name: "a poll waits for its deadline", rule: ask.Voting{Mode: ask.Poll}, late: true,
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 1), Counted}, {pick("U3", 3, 1), Counted}},
			want:  "answered Wait, (U2) | U1:Deploy U2:Wait U3:Wait",
		},
		{
			name: "a tie decides nothing", rule: ask.Voting{Mode: ask.Poll}, late: true,
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 1), Counted}},
			want:  "expired tie | U1:Deploy U2:Wait",
		},
		{
			name: "a poll may ask for so many votes", rule: ask.Voting{Mode: ask.Poll, Need: 3}, late: true,
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 0), Counted}},
			want:  "expired quorum: 2 of 3 | U1:Deploy U2:Deploy",
		},
		{
			name: "a poll ends when everybody has voted", rule: ask.Voting{Mode: ask.Poll},
			r: func(r *Record) *Record { r.Voting.Roster = []string{"slack:U1", "slack:U2", "slack:U3"}; return r },
			steps: []step{
				{pick("U1", 1, 0), Counted},
				{pick("U2", 2, 0), Counted},
				{pick("U3", 3, 1), Completed},
			},
			want: "answered Deploy, (U1) | U1:Deploy U2:Deploy U3:Wait",
		},
		{
			name: "a tie with all votes in stays open", rule: ask.Voting{Mode: ask.Poll},
			r:     func(r *Record) *Record { r.Voting.Roster = []string{"slack:U1", "slack:U2"}; return r },
			steps: []step{{pick("U1", 1, 0), Counted}, {pick("U2", 2, 1), Counted}, {pick("U2", 3, 0), Completed}},
			want:  "answered Deploy, (U1) | U1:Deploy U2:Deploy",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := voted(tt.rule, deploy())
			if tt.r != nil {
				r = tt.r(r)
			}
			for n, s := range tt.steps {
				got, err := r.judged(s.a, DraftMode{Shared: s.a.By.Platform == "discord"}, start)
				if got.Verdict != s.verdict {
					t.Errorf("act %d is %q, %v, want %q", n, got.Verdict, err, s.verdict)
				}
			}
			if tt.late {
				if err := catchUp(r, start.Add(time.Hour)); err != nil {
					t.Error(err)
				}
			}
			if got := summary(r); got != tt.want {
				t.Errorf("got\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// A settled question is counted again with each vote on the others.
func TestVetoHoldsAgainstLaterVotes(t *testing.T) {
	t.Parallel()
	r := voted(ask.Voting{Mode: ask.Quorum, Need: 2, Needs: map[string]int{"SQLite": 1}}, singleQ(), multiQ())
	for n, picked := range []struct{ database, check int }{{1, 0}, {0, 1}, {0, 1}} {
		who := fmt.Sprintf("U%d", n+1)
		_, _ = r.judged(by(who, int64(n+1), ask.Submit, -1, -1).picking(0, picked.database).picking(1, picked.check), DraftMode{}, start)
	}
	if got, want := summary(r), "answered SQLite, (U1) Lint, (U2) | U1:SQLiteUnit U2:PostgresLint U3:PostgresLint"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestFormShowsOwnVote(t *testing.T) {
	t.Parallel()
	r := voted(ask.Voting{Mode: ask.Quorum, Need: 2}, singleQ(), multiQ())
	shared := DraftMode{Shared: true}
	mine := by("U1", 1, ask.Select, 0, -1).picking(0, 1)
	_, _ = r.judged(mine, shared, start)
	if got := r.DraftOf(mine.By.Person, shared)[0].Selected; len(got) != 1 {
		t.Errorf("they see %v of what they have chosen", got)
	}
}

func TestVoteOnSeveralQuestions(t *testing.T) {
	t.Parallel()
	rule := ask.Voting{Mode: ask.Quorum, Need: 2, Needs: map[string]int{"SQLite": 1}}
	r := voted(rule, singleQ(), multiQ())
	submit := func(who string, order int64, database int, checks ...int) Act {
		return by(who, order, ask.Submit, -1, -1).picking(0, database).picking(1, checks...)
	}
	for n, s := range []struct {
		a       Act
		verdict Verdict
		want    string
	}{
		{by("U1", 1, ask.Select, 0, -1).picking(0, 0), Recorded, "open | "},
		{by("U1", 2, ask.Submit, -1, -1).picking(0, 0).picking(1), Incomplete, "open | "},
		{submit("U1", 3, 0, 0, 2), Counted, "open | U1:PostgresUnit,Race"},
		{submit("U2", 4, 0, 0), Counted, "open | U1:PostgresUnit,Race U2:PostgresUnit"},
		{submit("U3", 5, 1, 1), Counted, "open | U1:PostgresUnit,Race U2:PostgresUnit U3:SQLiteLint"},
		// A veto is final, and two choices of a multi-select question are equal only as sets.
		{submit("U4", 6, 0, 2, 0), Completed, "answered SQLite, (U3) Unit,Race, (U1) | U1:PostgresUnit,Race U2:PostgresUnit U3:SQLiteLint U4:PostgresUnit,Race"},
	} {
		if got, _ := r.judged(s.a, DraftMode{}, start); got.Verdict != s.verdict || summary(r) != s.want {
			t.Errorf("act %d: verdict %q, state\n%s, want %q and\n%s", n, got.Verdict, summary(r), s.verdict, s.want)
		}
	}
}

func TestRequesterAndStrangersDoNotCount(t *testing.T) {
	t.Parallel()
	r := voted(ask.Voting{Mode: ask.Quorum, Need: 2}, deploy())
	r.Policy, r.Requesters = ask.PolicyOf("slack:U1", "slack:U2", "not_requester"), []string{"slack:U1"}
	for who, want := range map[string]Verdict{"U1": Forbidden, "U3": Forbidden, "U2": Counted} {
		if got, _ := r.judged(by(who, 1, ask.Choose, 0, 0), DraftMode{}, start); got.Verdict != want {
			t.Errorf("%s: %q, want %q", who, got.Verdict, want)
		}
	}
	if got := summary(r); got != "open | U2:Deploy" {
		t.Error(got)
	}
}

func TestVoteUpdatesCardsThatShowIt(t *testing.T) {
	t.Parallel()
	for show, moved := range map[ask.Show]bool{ask.ShowLive: true, ask.ShowCount: true, ask.ShowSealed: false} {
		r := voted(ask.Voting{Mode: ask.Quorum, Need: 2, Show: show}, deploy()).onBoth(nil)
		a := by("U1", 1, ask.Choose, 0, 0).onDiscord()
		if _, err := r.judged(a, DraftMode{Shared: true, Redraws: true}, start); err != nil {
			t.Fatal(err)
		}
		if NeedsCall(r, r.Copies[0]) != moved || NeedsCall(r, r.Copies[1]) || r.DeliveryDue.IsZero() == moved {
			t.Errorf("%q: Slack wants an update %t, Discord %t, due %v", show, NeedsCall(r, r.Copies[0]), NeedsCall(r, r.Copies[1]), r.DeliveryDue)
		}
	}
}

func TestHiddenVotesStayHiddenUntilEnd(t *testing.T) {
	t.Parallel()
	for show, want := range map[ask.Show]string{ask.ShowLive: "1 1 1", ask.ShowCount: "1 0 0", ask.ShowSealed: "0 0 0"} {
		r := voted(ask.Voting{Mode: ask.Quorum, Need: 2, Show: show}, deploy())
		if _, err := r.judged(by("U1", 1, ask.Choose, 0, 0), DraftMode{}, start); err != nil {
			t.Fatal(err)
		}
		s := r.Standing()
		if got := fmt.Sprint(s.Voted, len(s.Votes), len(s.Tally)); got != want {
			t.Errorf("%q shows %s, want %s", show, got, want)
		}
		if v, ok := r.VoteOf("slack:U1"); !ok || v.Choices[0].Selected[0] != "Deploy" {
			t.Errorf("%q: a voter does not see their own vote", show)
		}
		if err := r.Withdraw(ask.Cancelled, "enough", start); err != nil {
			t.Fatal(err)
		}
		if s = r.Standing(); s.Voted != 1 || len(s.Votes) != 1 || s.Tally[0].Votes != 1 || r.Voting.Ballots != nil {
			t.Errorf("%q: after the end it is %+v", show, s)
		}
	}
}

func TestAPIVoteCountsForItsAccount(t *testing.T) {
	t.Parallel()
	over := func(name string, order int64, as ...string) Act {
		a := by(name, order, ask.SubmitAll, -1, -1).picking(0, 0)
		a.By.Platform, a.By.Groups, a.Message = ask.API, as, MessageRef{}
		return a
	}
	r := voted(ask.Voting{Mode: ask.Quorum, Need: 3}, deploy()).onBoth(map[string]string{"slack:U1": "dana", "discord:U1": "dana"})
	for n, s := range []struct {
		a       Act
		verdict Verdict
		support int
	}{
		{over("stranger", 1), Forbidden, 0},
		{over("elsewhere", 2, "irc:dana", "slack-group:S1"), Forbidden, 0},
		{by("U1", 3, ask.Choose, 0, 0), Counted, 1},
		{over("dana", 4, "discord:U1"), Counted, 1},
		{over("sam", 5, "slack:U2"), Counted, 2},
		{by("U2", 6, ask.Choose, 0, 0), Counted, 2},
		{over("kim", 7, "slack:U3"), Completed, 3},
	} {
		got, _ := r.judged(s.a, DraftMode{}, start)
		count := 0
		for _, c := range append(r.Outcome.Tally, countOf(r).tally()...) {
			count = c.Votes
		}
		if got.Verdict != s.verdict || count != s.support {
			t.Errorf("act %d is %q and counts as %d people, want %q and %d", n, got.Verdict, count, s.verdict, s.support)
		}
	}
}
