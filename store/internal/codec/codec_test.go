package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
	"github.com/askbridge/askbridge/store/internal/fixture"
)

// fill sets every field reachable from v to a different value, including fields added after this
// test was written.
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
		panic(fmt.Sprint("unexpected type in a record: ", v.Type()))
	}
}

// zeroSome sets some fields reachable from v to zero and shortens lists.
func zeroSome(v reflect.Value, random *rand.Rand) {
	if random.IntN(3) == 0 {
		v.SetZero()
		return
	}
	if v.Type() == reflect.TypeFor[ask.Policy]() {
		return // Its fields are unexported.
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				zeroSome(field, random)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			zeroSome(v.Elem(), random)
		}
	case reflect.Slice:
		if v.SetLen(random.IntN(v.Len() + 1)); v.Len() > 0 {
			zeroSome(v.Index(0), random)
		}
	}
}

func full() record.Record {
	var r record.Record
	n := 0
	fill(reflect.ValueOf(&r).Elem(), &n)
	return r
}

// roundTrip encodes and decodes a record and returns the stored form.
func roundTrip(t *testing.T, r record.Record) string {
	t.Helper()
	data, err := Encode(&Entry{Rec: r})
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(r.ID, data)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "record", back.Rec, r)
	if len(back.Extra) != 0 {
		t.Errorf("unknown members: %v", back.Extra)
	}
	return string(data)
}

func TestRoundTripKeepsEveryField(t *testing.T) {
	t.Parallel()
	roundTrip(t, full())
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		r := full()
		zeroSome(reflect.ValueOf(&r).Elem(), random)
		roundTrip(t, r)
	}
}

// TestStoredFormIsFinal reads and writes a record with every member as an earlier build stored it.
// The file can only grow.
func TestStoredFormIsFinal(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/full.json")
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.TrimSpace(want)
	e, err := Decode("a1", want)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Extra) != 0 {
		t.Errorf("unknown members: %v", e.Extra)
	}
	got, err := Encode(e)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("testdata/full.json: %v, written back as\n%s", err, got)
	}
}

func TestEncodeOmitsZeroValues(t *testing.T) {
	t.Parallel()
	const want = `{"v":1,"fp":"","qs":null,"rs":null,"oc":{"state":""},"cp":null,"fa":0}`
	if got := roundTrip(t, record.Record{ID: "a1", Version: 1}); got != want {
		t.Errorf("stored as %s, want %s", got, want)
	}
}

func TestEncodeRejectsYear10000(t *testing.T) {
	t.Parallel()
	r := record.Record{Outcome: ask.Outcome{At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}}
	if data, err := Encode(&Entry{Rec: r}); err == nil {
		t.Errorf("stored as %s", data)
	}
}

// TestDecodeReadsFirstVersion decodes a record of the first build.
func TestDecodeReadsFirstVersion(t *testing.T) {
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
		t.Errorf("decoded %+v with unknown members %v", r, e.Extra)
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"f":9,"qs":8}`: "format 9", `{"qs":7}`: "decode record", `{"v":`: "decode record", ``: "decode record", `[]`: "decode record", `{}{}`: "decode record",
	} {
		if _, err := Decode("a1", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", data, err, want)
		}
	}
}

// TestFormat checks that builds without a feature refuse records that use it.
func TestFormat(t *testing.T) {
	t.Parallel()
	dana, sam := ask.Person{Platform: "slack", ID: "U1", Name: "Dana"}, ask.Person{Platform: "slack", ID: "U2"}
	at := time.UnixMicro(1712000000000100).UTC()
	for name, test := range map[string]struct {
		want   string
		change func(*record.Record)
	}{
		"plain":    {`{"v":0,`, func(*record.Record) {}},
		"one list": {`{"v":0,`, func(r *record.Record) { r.Policy = ask.PolicyOf("slack:U1") }},
		"two lists": {`{"f":2,`, func(r *record.Record) {
			r.Policy = ask.PolicyOf("slack-group:S1").Narrow(ask.PolicyOf("slack:U1"))
		}},
		"voting": {`{"f":3,`, func(r *record.Record) { r.Voting = &record.Voting{Rule: ask.Voting{Mode: ask.Quorum, Need: 2}} }},
		"audience": {`{"f":4,`, func(r *record.Record) {
			r.Audience = &record.Audience{Who: []string{"slack:U0000001"}, Unknown: []string{"requester"}}
			r.Copies[0].Quiet, r.Copies[0].Missed = true, []record.Missed{{Who: "slack:U0000009", Why: "unknown"}}
		}},
		"links":    {`{"f":4,`, func(r *record.Record) { r.Links = []ask.Link{{Label: "Runbook", URL: "https://wiki.example.com"}} }},
		"optional": {`{"f":4,`, func(r *record.Record) { r.Questions[0].Optional = true }},
		"notes":    {`{"f":4,`, func(r *record.Record) { r.Questions[0].Notes = true }},
		"trail":    {`{"f":4,`, func(r *record.Record) { r.Trail = &record.Trail{} }},
		"undo":     {`{"f":4,`, func(r *record.Record) { r.Hold, r.UndoneAt = 10*time.Second, at }},
		"held": {`{"f":4,`, func(r *record.Record) {
			r.Hold, r.Held = 10*time.Second, &record.Held{
				Outcome: ask.Outcome{State: ask.Answered, By: dana, Answers: []ask.Answer{{Question: "Which?", Selected: []string{"A"}, By: dana}}},
				Winner:  "act", WonAt: record.MessageRef{Platform: "slack", Channel: "C1", Message: "1"}, Revision: 3,
				Until: at, Said: "m", Order: 7, Before: []record.Ballot{{By: dana, Picks: []ask.Pick{{Selected: []int{1}}}, Mark: "m"}},
			}
		}},
		"schedule": {`{"f":4,`, func(r *record.Record) {
			r.Schedule = &record.Schedule{Done: 1, Steps: []record.Step{
				{After: time.Minute, At: at, Do: ask.Remind, Who: []string{"slack:U0000001"}},
				{
					After: time.Hour, At: at.Add(time.Hour), Do: ask.Add, Policy: ask.PolicyOf("slack:U0000001", "slack:U0000002"), Added: []string{"slack:U0000002"},
					Places: []ask.Place{{Platform: "slack", Channel: "C2"}},
				},
			}}
			r.Copies[0].Step, r.Copies[0].Said, r.Copies[0].Saying = 1, 2, 3
		}},
		"handing over": {`{"f":5,`, func(r *record.Record) {
			r.Schedule = &record.Schedule{PassTo: ask.PolicyOf(ask.Anyone, ask.NotRequester), Done: 1, Steps: []record.Step{{
				At: at, Do: ask.HandOver, Who: []string{"slack:U2"}, Places: []ask.Place{{Platform: "slack", User: "U2"}},
				Pass: &record.Pass{By: dana, To: sam, Out: []string{"slack:U1"}, Mark: "m"},
			}}}
		}},
		"confirm": {`{"f":5,`, func(r *record.Record) { r.Questions[0].Confirm = true }},
		"files": {`{"f":5,`, func(r *record.Record) {
			r.Files = []ask.Attachment{ask.File{Name: "change.diff", Text: "-a\n+b\n"}.Attachment()}
			r.Copies[0].Filing = record.BeingFiled
		}},
		"file shown in part": {`{"f":6,`, func(r *record.Record) {
			r.Files = []ask.Attachment{ask.File{Name: "input.json", Text: "{}", Unshown: 1}.Attachment()}
		}},
		"risk": {`{"f":8,`, func(r *record.Record) { r.Risk = ask.HighRisk }},
		"revised file": {`{"f":7,`, func(r *record.Record) {
			r.Revised, r.RevisedAt = 1, at
			r.Files = []ask.Attachment{ask.File{Name: "context-2.txt", Text: "It is up.", Unshown: 1}.Attachment()}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fixture.Plain("a1")
			test.change(&r)
			if got := roundTrip(t, r); !strings.HasPrefix(got, test.want) {
				t.Errorf("stored as %s, want prefix %s", got, test.want)
			}
		})
	}
}

// TestReplyIsStoredNextToOutcome lets builds without replies keep the member.
func TestReplyIsStoredNextToOutcome(t *testing.T) {
	t.Parallel()
	by := ask.Person{Platform: "slack", ID: "U1"}
	for want, outcome := range map[string]ask.Outcome{
		"":            ask.Dismissal(by),
		`"rp":true`:   ask.Replying(by, ask.Dismissed),
		`"rp":true,"`: ask.Replying(by, "ask again"),
	} {
		r := fixture.Plain("a1")
		r.Outcome = outcome
		if got := roundTrip(t, r); !strings.Contains(got, want) || want == "" && strings.Contains(got, `"rp"`) || strings.Contains(got, "replied") {
			t.Errorf("stored as %s, want %s next to the outcome", got, want)
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
	f.Add([]byte(`{"\u0063r":1, "z" : [ 1 ], "sc":{"st":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode("a1", data)
		if err != nil {
			return
		}
		again, err := Encode(e)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		twice, err := Decode("a1", again)
		if err != nil {
			t.Fatalf("decode again: %v", err)
		}
		fixture.Equal(t, "record", twice.Rec, e.Rec)
		fixture.Equal(t, "unknown members", len(twice.Extra), len(e.Extra))
	})
}

// BenchmarkRecord encodes and decodes an answered request.
func BenchmarkRecord(b *testing.B) {
	r := fixture.Plain("a1")
	now := time.UnixMicro(1_795_000_000_000_000).UTC()
	r.Created, r.Changed, r.Deadline, r.Due, r.Version, r.Tenant = now, now, now.Add(time.Hour), now.Add(time.Hour), 3, "ops"
	by := ask.Person{Platform: "slack", ID: "U1", Name: "Dana"}
	r.Outcome = ask.Outcome{State: ask.Answered, By: by, At: now, Answers: []ask.Answer{{Question: "Which database?", Header: "Database", Selected: []string{"Postgres"}, By: by, At: now}}}
	var buf bytes.Buffer
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf.Reset()
			if err := EncodeTo(&buf, &Entry{Rec: r}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode("a1", buf.Bytes()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
