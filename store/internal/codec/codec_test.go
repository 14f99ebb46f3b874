package codec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

// fill gives every field that can be reached from v a value of its own, also
// those that are added after this test was written.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMicro(1_795_000_000_000_000 + int64(*n)).UTC()))
		return
	case ask.Policy:
		policy := ask.PolicyOf(ask.Anyone, ask.NotRequester).Narrow(ask.PolicyOf(fmt.Sprint("slack:U", *n)))
		v.Set(reflect.ValueOf(policy))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n, ` <&> "ü" `))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	default:
		panic(fmt.Sprint("a record holds a ", v.Type()))
	}
}

func TestCodecKeepsEveryField(t *testing.T) {
	t.Parallel()
	var full bridge.Record
	n := 0
	fill(reflect.ValueOf(&full).Elem(), &n)
	data, err := Encode(&Entry{Rec: full})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(full.ID, data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", got.Rec, full)
	if len(got.Extra) != 0 {
		t.Errorf("its own members are unknown to it: %v", got.Extra)
	}
	again, err := Encode(got)
	if err != nil || string(again) != string(data) {
		t.Errorf("encoded again, %v:\n%s\nwant\n%s", err, again, data)
	}
}

func TestCodecWritesNoZeroes(t *testing.T) {
	t.Parallel()
	data, err := Encode(&Entry{Rec: bridge.Record{ID: "a1", Version: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "f", "cr", "ch", "dl", "du", "la", "en", "se", "dr"} {
		if value, ok := members[name]; ok {
			t.Errorf("%s is written as %s", name, value)
		}
	}
}

// TestCodecReadsOldRecords reads what the first build wrote. Its text must never
// change.
func TestCodecReadsOldRecords(t *testing.T) {
	t.Parallel()
	const old = `{"cr":1795233405193262,"ch":1795233405193686,"dl":1795237005193262,"du":1795237005193262,` +
		`"v":3,"se":"s1","tc":"toolu_01","ag":"deploy-bot","cx":"Deploying 4.2","fp":"f1",` +
		`"qs":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"Managed"},{"label":"SQLite"}],"multiSelect":false}],` +
		`"rs":["anyone"],"oc":{"state":"open"},"dr":{"slack:U1":{"0":{"s":[1],"n":4}}},` +
		`"cp":[{"to":{"platform":"slack","channel":"C1"},"st":"posted","rf":{"p":"slack","c":"C1","m":"1712.1"},"pa":1}],"fa":2}`
	e, err := Decode("a1", []byte(old))
	if err != nil {
		t.Fatal(err)
	}
	r := e.Rec
	if r.ID != "a1" || r.Version != 3 || r.Deadline.UnixMicro() != 1795237005193262 || !r.Open() || len(e.Extra) != 0 ||
		r.Questions[0].Options[1].Label != "SQLite" || r.Drafts["slack:U1"][0].Selected[0] != 1 || r.Copies[0].Ref.Message != "1712.1" {
		t.Errorf("read as %+v with unknown members %v", r, e.Extra)
	}
}

func TestCodecRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"f":8,"qs":8}`: "format 8", `{"qs":7}`: "decode record", `{"v":`: "decode record", ``: "decode record", `[]`: "decode record",
	} {
		if _, err := Decode("a1", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %q", data, err, want)
		}
	}
}

func TestAnOlderBuildRefusesARecordWhoseFloorItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for want, policy := range map[string]ask.Policy{
		`"rs":["slack:U1"]`: ask.PolicyOf("slack:U1"),
		`"f":2`:             ask.PolicyOf("slack-group:S1").Narrow(ask.PolicyOf("slack:U1")),
	} {
		r := fixture.Plain("a1")
		r.Policy = policy
		data, err := Encode(&Entry{Rec: r})
		if err != nil {
			t.Fatal(err)
		}
		if new := strings.Contains(string(data), `"f":`); !strings.Contains(string(data), want) || new != policy.Layered() {
			t.Errorf("stored as %s, want the format with %s", data, want)
		}
		back, err := Decode("a1", data)
		if err != nil || !back.Rec.Policy.Equal(policy) {
			t.Errorf("read as %s, %v, want %s", back.Rec.Policy, err, policy)
		}
	}
}

func TestAnOlderBuildRefusesAVote(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Voting = &record.Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 2}}
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":3`) {
		t.Errorf("stored as %s, %v, want the format with votes", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesARequestThatSaysWhoIsTold(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Audience = &record.Audience{Who: []string{"slack:U0000001"}, Unknown: []string{"requester"}}
	r.Copies[0].Quiet, r.Copies[0].Missed = true, []record.Missed{{Who: "slack:U0000009", Why: "unknown"}}
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":4`) {
		t.Errorf("stored as %s, %v, want the format of requests that say who is told", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesARequestWithLinks(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Links = []ask.Link{{Label: "Runbook", URL: "https://wiki.example.com"}}
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":4`) {
		t.Errorf("stored as %s, %v, want the format of what stands on the card", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesWhatOneTapMustNotDecide(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Questions[0].Confirm = true
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":5`) {
		t.Errorf("stored as %s, %v, want the format of what is submitted", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesARequestWithFiles(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Files = []ask.Attachment{ask.File{Name: "change.diff", Text: "-a\n+b\n"}.Attachment()}
	r.Copies[0].Filing = record.BeingFiled
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":5`) {
		t.Errorf("stored as %s, %v, want the format of what cannot be answered before its files stand", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesAFileWhoseBeginningTheCardShows(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Files = []ask.Attachment{ask.File{Name: "input.json", Text: "{}", Unshown: 1}.Attachment()}
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":6`) {
		t.Errorf("stored as %s, %v, want the format of what goes on in a file", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesARevisedContextInAFile(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Revised, r.RevisedAt = 1, r.Created
	r.Files = []ask.Attachment{ask.File{Name: "context-2.txt", Text: "It is up.", Unshown: 1}.Attachment()}
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":7`) {
		t.Errorf("stored as %s, %v, want the format of a file that takes another one's place", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesQuestionsThatMayBeLeft(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*ask.Question){
		func(q *ask.Question) { q.Optional = true },
		func(q *ask.Question) { q.Notes = true },
	} {
		r := fixture.Plain("a1")
		r.Questions = slices.Clone(r.Questions)
		change(&r.Questions[0])
		data, err := Encode(&Entry{Rec: r})
		if err != nil || !strings.Contains(string(data), `"f":4`) {
			t.Errorf("stored as %s, %v, want the format with what may be left", data, err)
		}
		back, err := Decode("a1", data)
		if err != nil {
			t.Fatal(err)
		}
		fixture.Equal(t, "record", back.Rec, r)
	}
}

func TestWhatIsHeldIsKeptInAFormatOfItsOwn(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	r.Hold, r.UndoneAt = 10*time.Second, r.Created
	dana := ask.Person{Platform: "slack", ID: "U1"}
	for name, held := range map[string]*record.Held{"nothing yet": nil, "a vote": {
		Outcome: ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{{Question: "Which?", Selected: []string{"A"}, By: dana}}},
		Winner:  "act", WonAt: record.MessageRef{Platform: "slack", Channel: "C1", Message: "1"}, Revision: 3,
		Until: time.Date(2026, 3, 1, 9, 0, 10, 0, time.UTC), Said: "m", Order: 7, Before: []record.Ballot{{By: dana, Picks: []ask.Pick{{Selected: []int{1}}}, Mark: "m"}},
	}} {
		r.Held = held
		data, err := Encode(&Entry{Rec: r})
		if err != nil || !strings.Contains(string(data), `"f":4`) {
			t.Errorf("%s is stored as %s, %v, want a format of its own", name, data, err)
		}
		back, err := Decode("a1", data)
		if err != nil {
			t.Fatal(err)
		}
		fixture.Equal(t, "record", back.Rec, r)
	}
}

func TestAnOlderBuildRefusesARequestWithASchedule(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	at := time.UnixMicro(1712000000000100).UTC()
	r.Schedule = &record.Schedule{Done: 1, Steps: []record.Step{
		{After: time.Minute, At: at, Do: ask.Remind, Who: []string{"slack:U0000001"}},
		{
			After: time.Hour, At: at.Add(time.Hour), Do: ask.Add, Policy: ask.PolicyOf("slack:U0000001", "slack:U0000002"), Added: []string{"slack:U0000002"},
			Places: []ask.Place{{Platform: "slack", Channel: "C2"}},
		},
	}}
	r.Copies[0].Step, r.Copies[0].Said, r.Copies[0].Saying = 1, 2, 3
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":4`) {
		t.Errorf("stored as %s, %v, want the format of requests with a schedule", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildRefusesARequestThatCanBePassedOn(t *testing.T) {
	t.Parallel()
	r := fixture.Plain("a1")
	dana, sam := ask.Person{Platform: "slack", ID: "U1", Name: "Dana"}, ask.Person{Platform: "slack", ID: "U2"}
	r.Schedule = &record.Schedule{PassTo: ask.PolicyOf(ask.Anyone, ask.NotRequester), Done: 1, Steps: []record.Step{{
		At: time.UnixMicro(1712000000000100).UTC(), Do: ask.HandOver, Who: []string{"slack:U2"}, Places: []ask.Place{{Platform: "slack", User: "U2"}},
		Pass: &record.Pass{By: dana, To: sam, Out: []string{"slack:U1"}, Mark: "m"},
	}}}
	data, err := Encode(&Entry{Rec: r})
	if err != nil || !strings.Contains(string(data), `"f":5`) {
		t.Errorf("stored as %s, %v, want the format of requests that can be passed on", data, err)
	}
	back, err := Decode("a1", data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
}

func TestAnOlderBuildCarriesThatAReplyIsNoDismissal(t *testing.T) {
	t.Parallel()
	by := ask.Person{Platform: "slack", ID: "U1"}
	for want, outcome := range map[string]ask.Outcome{
		"":            ask.Dismissal(by),
		`"rp":true`:   ask.Replying(by, ask.Dismissed),
		`"rp":true,"`: ask.Replying(by, "ask again"),
	} {
		r := fixture.Plain("a1")
		r.Outcome = outcome
		data, err := Encode(&Entry{Rec: r})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(data); !strings.Contains(got, want) || want == "" && strings.Contains(got, `"rp"`) || strings.Contains(got, "replied") {
			t.Errorf("stored as %s, want %s beside the outcome", got, want)
		}
		back, err := Decode("a1", data)
		if err != nil || back.Rec.Outcome.Reply() != outcome.Reply() || back.Rec.Outcome.End() != outcome.End() {
			t.Errorf("read as %+v, %v", back.Rec.Outcome, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := Encode(&Entry{Rec: fixture.Plain("a1"), Extra: map[string]json.RawMessage{"zz": json.RawMessage(`{"new":1}`)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"f":2}`))
	f.Add([]byte(`{"cr":-1,"QS":[],"qs":null,"dr":{"x":{"9":{}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode("a1", data)
		if err != nil {
			return
		}
		again, err := Encode(e)
		if err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		twice, err := Decode("a1", again)
		if err != nil {
			t.Fatalf("cannot read what was written: %v", err)
		}
		fixture.Equal(t, "record", twice.Rec, e.Rec)
		fixture.Equal(t, "unknown members", len(twice.Extra), len(e.Extra))
	})
}

func TestAnOlderBuildRefusesARecordWithATrail(t *testing.T) {
	t.Parallel()
	for want, trail := range map[string]*record.Trail{`{"v":0`: nil, `{"f":4`: {}} {
		r := fixture.Plain("a1")
		r.Trail = trail
		data, err := Encode(&Entry{Rec: r})
		if err != nil || !strings.HasPrefix(string(data), want) {
			t.Errorf("stored as %s, %v, want it to begin with %s", data, err, want)
		}
	}
}
