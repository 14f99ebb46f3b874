package typed_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/internal/typed"
	"github.com/askbridge/askbridge/internal/words"
)

func choose(labels ...string) ask.Question {
	q := ask.Question{Text: "Which?"}
	for _, label := range labels {
		q.Options = append(q.Options, ask.Option{Label: label})
	}
	return q
}

func several(labels ...string) ask.Question {
	q := choose(labels...)
	q.MultiSelect = true
	return q
}

var write = ask.Question{Text: "Why?"}

// summary is a reading in short: "0,2" for picks, and typed text after a bar; one line for each question.
func summary(got typed.Reading, questions int) string {
	var lines []string
	for q := range questions {
		line := strings.ReplaceAll(strings.Trim(fmt.Sprint(got.Picks[q]), "[]"), " ", ",")
		if text, ok := got.Texts[q]; ok {
			line += "|" + text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " / ")
}

func TestTextMustMatchCompletely(t *testing.T) {
	t.Parallel()
	databases, yesNo := choose("Postgres", "SQLite", "Red, white"), choose("Yes", "No")
	colours := several("Red", "White", "Red, white", "Blue")
	skipped := strconv.Itoa(databases.Skip())
	free, german := typed.Rule{Free: true}, typed.Rule{Languages: []string{"en", "de"}}
	for name, tc := range map[string]struct {
		rule      typed.Rule
		questions []ask.Question
		text      string
		want      string
		doubt     typed.Doubt
	}{
		"a label":                          {questions: []ask.Question{databases}, text: "Postgres", want: "0"},
		"a label in another case":          {questions: []ask.Question{databases}, text: "  sqlite\n", want: "1"},
		"a label with a comma":             {questions: []ask.Question{databases}, text: "red, White", want: "2"},
		"a number":                         {questions: []ask.Question{databases}, text: "2", want: "1"},
		"a letter":                         {questions: []ask.Question{databases}, text: "B", want: "1"},
		"a number that is too large":       {questions: []ask.Question{databases}, text: "12", doubt: typed.Unclear},
		"two numbers where one is asked":   {questions: []ask.Question{databases}, text: "1,3", doubt: typed.Unclear},
		"a number at the begin":            {questions: []ask.Question{databases}, text: "2 weeks", doubt: typed.Unclear},
		"a label in a sentence":            {questions: []ask.Question{databases}, text: "Postgres, I guess", doubt: typed.Unclear},
		"a label behind the code":          {questions: []ask.Question{databases}, text: "K7QD: postgres", want: "0"},
		"the code of another":              {questions: []ask.Question{databases}, text: "zzzz: postgres", doubt: typed.Unclear},
		"a label that is another's number": {questions: []ask.Question{choose("2", "1")}, text: "2", doubt: typed.Several},
		"labels that differ in case":       {questions: []ask.Question{choose("go", "GO")}, text: "go", doubt: typed.Several},
		"yes":                              {questions: []ask.Question{yesNo}, text: "yes", want: "0"},
		"no, in short":                     {questions: []ask.Question{yesNo}, text: "N", want: "1"},
		"yes in a language that was named": {rule: german, questions: []ask.Question{yesNo}, text: "ja", want: "0"},
		"yes in a language that was not":   {questions: []ask.Question{yesNo}, text: "ja", doubt: typed.Unclear},
		"yes where that is not asked":      {questions: []ask.Question{databases}, text: "yes", doubt: typed.Unclear},
		"yes to labels in another tongue":  {questions: []ask.Question{choose("Nein", "Ja")}, text: "yes", want: "1"},
		"yes to several":                   {questions: []ask.Question{several("Yes", "No")}, text: "y", doubt: typed.Unclear},
		"several labels":                   {questions: []ask.Question{colours}, text: "blue; white", want: "1,3"},
		"several numbers":                  {questions: []ask.Question{colours}, text: "4, 1", want: "0,3"},
		"several lines":                    {questions: []ask.Question{colours}, text: "blue\nwhite", want: "1,3"},
		"one label or two":                 {questions: []ask.Question{colours}, text: "red, white", doubt: typed.Several},
		"several, one of them unknown":     {questions: []ask.Question{colours}, text: "blue, green", doubt: typed.Unclear},
		"several, with nothing between":    {questions: []ask.Question{colours}, text: "blue,,white", doubt: typed.Unclear},
		"own text where it is not wanted":  {questions: []ask.Question{databases}, text: "other: MySQL", doubt: typed.Unclear},
		"own text":                         {rule: free, questions: []ask.Question{databases}, text: "Other: MySQL, or so", want: "|MySQL, or so"},
		"own text that is nothing":         {rule: free, questions: []ask.Question{databases}, text: "other: ", doubt: typed.Unclear},
		"own text beside labels":           {rule: free, questions: []ask.Question{colours}, text: "blue, other: gold, matt", want: "3|gold, matt"},
		"a label that begins own text":     {rule: free, questions: []ask.Question{choose("Other: none", "All")}, text: "other: none", want: "0"},
		"one of several that begins it":    {rule: free, questions: []ask.Question{several("Other: a", "b")}, text: "other: a, b", want: "0,1"},
		"own text that only begins as one": {rule: free, questions: []ask.Question{several("Other: a", "b")}, text: "other: a, c", want: "|a, c"},
		"own text in the card's language":  {rule: typed.Rule{Free: true, Languages: []string{"es"}}, questions: []ask.Question{databases}, text: "Otra: MySQL", want: "|MySQL"},
		"own text in another language":     {rule: typed.Rule{Free: true, Languages: []string{"de"}}, questions: []ask.Question{databases}, text: "Otra: MySQL", doubt: typed.Unclear},
		"yes in English all the same":      {rule: typed.Rule{Languages: []string{"ko"}}, questions: []ask.Question{yesNo}, text: "yes", want: "0"},
		"own text that is refused":         {rule: free, questions: []ask.Question{{Text: "?", Options: databases.Options, NoOther: true}}, text: "other: x", doubt: typed.Unclear},
		"text beside the card":             {rule: free, questions: []ask.Question{write}, text: "because", doubt: typed.Uncoded},
		"text in reply to the card":        {rule: typed.Rule{Free: true, Direct: true}, questions: []ask.Question{write}, text: "because: of\nit", want: "|because: of\nit"},
		"text behind the code":             {rule: free, questions: []ask.Question{write}, text: "k7qd: because", want: "|because"},
		"text where labels are wanted":     {rule: typed.Rule{Direct: true}, questions: []ask.Question{write}, text: "because", doubt: typed.Unclear},
		"lines in order":                   {questions: []ask.Question{yesNo, colours}, text: "yes\n\n1, 4", want: "0 / 0,3"},
		"lines by number":                  {questions: []ask.Question{yesNo, colours}, text: "2: 1, 4\n1: yes", want: "0 / 0,3"},
		"a line too few":                   {questions: []ask.Question{yesNo, colours}, text: "yes", doubt: typed.Incomplete},
		"a numbered line too few":          {questions: []ask.Question{yesNo, colours}, text: "2: blue", doubt: typed.Incomplete},
		"a number twice":                   {questions: []ask.Question{yesNo, colours}, text: "2: blue\n2: red", doubt: typed.Unclear},
		"a line that says nothing":         {questions: []ask.Question{yesNo, colours}, text: "perhaps\n1", doubt: typed.Unclear},
		"lines that can be either":         {questions: []ask.Question{choose("2: x", "y"), choose("1: y", "x")}, text: "2: x\n1: y", doubt: typed.Several},
		"skipping":                         {questions: []ask.Question{yesNo, {Text: "?", Options: databases.Options, Optional: true}}, text: "no\nSkip", want: "1 / " + skipped},
		"skipping what has to be answered": {questions: []ask.Question{yesNo, databases}, text: "no\nskip", doubt: typed.Unclear},
		"a label that is the word to skip": {questions: []ask.Question{{Text: "?", Options: choose("Skip", "Go").Options, Optional: true}}, text: "skip", want: "0"},
		"own text that is called skip":     {rule: typed.Rule{Free: true, Direct: true}, questions: []ask.Question{{Text: "?", Optional: true}}, text: "skip", doubt: typed.Several},
		"a dash where own text counts":     {rule: typed.Rule{Free: true, Direct: true}, questions: []ask.Question{yesNo, {Text: "?", Optional: true}}, text: "no\n—", want: "1 / 0"},
		"skipping in the card's language":  {rule: german, questions: []ask.Question{{Text: "?", Options: databases.Options, Optional: true}}, text: "ÜBERSPRINGEN", want: skipped},
		"skipping in English all the same": {rule: typed.Rule{Languages: []string{"es"}}, questions: []ask.Question{{Text: "?", Options: databases.Options, Optional: true}}, text: "skip", want: skipped},
		"skipping in another language":     {rule: german, questions: []ask.Question{{Text: "?", Options: databases.Options, Optional: true}}, text: "omitir", doubt: typed.Unclear},
		"a number that a label has":        {questions: []ask.Question{choose("1 day", "3 days", "2 weeks")}, text: "3", doubt: typed.Several},
		"a number that its label has too":  {questions: []ask.Question{choose("1 replica", "3 replicas", "5 replicas")}, text: "1", want: "0"},
		"a number with a letter before it": {questions: []ask.Question{choose("v2", "v1")}, text: "2", doubt: typed.Several},
		"a part of a number":               {questions: []ask.Question{choose("10 days", "20 days")}, text: "2", want: "1"},
		"a letter that a label ends with":  {questions: []ask.Question{choose("Plan B", "Plan A")}, text: "a", doubt: typed.Several},
		"one of several that a label has":  {questions: []ask.Question{several("Port 2", "Port 1", "None")}, text: "1, 3", doubt: typed.Several},
		"a label with its number":          {questions: []ask.Question{databases}, text: "2 sqlite", want: "1"},
		"a label with its number and dot":  {questions: []ask.Question{databases}, text: "2. SQLite", want: "1"},
		"a label with another's number":    {questions: []ask.Question{databases}, text: "1 SQLite", doubt: typed.Unclear},
		"labels as the hint has them":      {questions: []ask.Question{colours}, text: "1 Red, 4 Blue", want: "0,3"},
		"a label from a phone":             {questions: []ask.Question{choose("Don't merge...", "Merge")}, text: "don’t merge…", want: "0"},
		"a number of a wide keyboard":      {questions: []ask.Question{databases}, text: "２", want: "1"},
		"a label with its accent apart":    {questions: []ask.Question{choose("Caf\u00e9", "Bar")}, text: "cafe\u0301", want: "0"},
		"a label whose accent is apart":    {rule: typed.Rule{Strict: true}, questions: []ask.Question{choose("Bar", "Cafe\u0301")}, text: "k7qd: CAF\u00c9", want: "1"},
		"labels that differ in spelling":   {questions: []ask.Question{choose("Caf\u00e9", "Cafe\u0301")}, text: "Caf\u00e9", doubt: typed.Several},
		"yes with its accent apart":        {rule: typed.Rule{Languages: []string{"es"}}, questions: []ask.Question{yesNo}, text: "si\u0301", want: "0"},
		"a label in narrow characters":     {questions: []ask.Question{choose("ガラス", "木")}, text: "ｶﾞﾗｽ", want: "0"},
		"several with narrow commas":       {questions: []ask.Question{colours}, text: "1､4", want: "0,3"},
		"a number in a ring elsewhere":     {questions: []ask.Question{choose("Never", "① weekly", "② weekly")}, text: "1", doubt: typed.Several},
		"a number in a ring at its place":  {questions: []ask.Question{choose("① weekly", "② weekly")}, text: "2", want: "1"},
		"wide code and colon":              {questions: []ask.Question{databases}, text: "Ｋ７ＱＤ：ＳＱＬｉｔｅ", want: "1"},
		"several with wide commas":         {questions: []ask.Question{colours}, text: "1、4，Ｂ", want: "0,1,3"},
		"own text behind a wide colon":     {rule: free, questions: []ask.Question{databases}, text: "other：MySQL", want: "|MySQL"},
		"lines of a numbered list":         {questions: []ask.Question{yesNo, databases}, text: "1. yes\n2. SQLite", want: "0 / 1"},
		"numbered lines in own words":      {rule: typed.Rule{Free: true, Direct: true}, questions: []ask.Question{write, write}, text: "2: b.c\n1: a", want: "|a / |b.c"},
		"times of day in own words":        {rule: typed.Rule{Free: true, Direct: true}, questions: []ask.Question{write, write}, text: "1:30\n2:00", doubt: typed.Several},
		"sums in own words":                {rule: typed.Rule{Free: true, Direct: true}, questions: []ask.Question{write, write}, text: "1.5\n2.5", want: "|1.5 / |2.5"},
		"nothing":                          {questions: []ask.Question{databases}, text: " \n", doubt: typed.Unclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.rule.Code, tc.rule.Questions = "k7qd", tc.questions
			got, doubt := typed.Read(tc.text, tc.rule)
			if doubt != tc.doubt {
				t.Fatalf("%q: doubt %q, want %q (%+v)", tc.text, doubt, tc.doubt, got)
			}
			if doubt != typed.Clear {
				if got.Picks != nil || got.Texts != nil {
					t.Errorf("%q is no answer, and still says %+v", tc.text, got)
				}
				return
			}
			if got := summary(got, len(tc.questions)); got != tc.want {
				t.Errorf("%q is read as %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

// talk lists messages below a permission card, each of which some bot has mistaken for consent.
var talk = []string{
	"don't allow", "not ok", "is that ok?", "never allow all", "sure, but not now", "yes and no", "2 weeks", "1,3", "12", "👍", ":+1:", "",
	"> Allow", "> Allow\nno", "btw the app got stuck", "allow?", "allow!", "Allow it", "al low", "yes", "y", "ok", "1", "a", "other: allow", "Allow, Deny",
}

func TestTalkDecidesNothingStrict(t *testing.T) {
	t.Parallel()
	rule := typed.Rule{Code: "k7qd", Strict: true, Free: true, Direct: true, Languages: typed.Languages(), Questions: []ask.Question{choose("Allow", "Deny")}}
	for _, text := range talk {
		for _, text := range []string{text, "k7qd: " + text, "k7qd:" + text, "k7qd " + text} {
			if got, doubt := typed.Read(text, rule); doubt == typed.Clear {
				t.Errorf("%q decided: %+v", text, got)
			}
		}
	}
	for text, want := range map[string]typed.Doubt{"Allow": typed.Uncoded, "k7qd: Allow": typed.Clear, "K7QD:  deny ": typed.Clear, "k7qf: Allow": typed.Uncoded} {
		if _, doubt := typed.Read(text, rule); doubt != want {
			t.Errorf("%q: doubt %q, want %q", text, doubt, want)
		}
	}
}

func TestTalkDecidesNothingElseEither(t *testing.T) {
	t.Parallel()
	rule := typed.Rule{Code: "k7qd", Languages: typed.Languages(), Questions: []ask.Question{choose("Allow", "Deny", "Later", "Never")}}
	takenAs := map[string]int{"1": 0, "a": 0} // A number and a letter are answers here.
	for _, text := range talk {
		got, doubt := typed.Read(text, rule)
		want, answer := takenAs[text]
		if answer != (doubt == typed.Clear) || answer && !cmp.Equal(got.Picks[0], []int{want}) {
			t.Errorf("%q: doubt %q, %+v", text, doubt, got)
		}
	}
}

func TestShownTextsCanBeTyped(t *testing.T) {
	t.Parallel()
	yesNo := choose("Yes", "No")
	yesNo.Optional = true
	skipped := strconv.Itoa(yesNo.Skip())
	for _, language := range words.Languages() {
		w := words.In(language).Button
		for text, want := range map[string]string{
			typed.Skip(language): skipped, w.Skip: skipped, typed.Other(language) + ": x": "|x", w.Other + ": x": "|x",
		} {
			for _, languages := range [][]string{{language}, typed.Languages()} {
				rule := typed.Rule{Questions: []ask.Question{yesNo}, Languages: languages, Free: true}
				if got, doubt := typed.Read(text, rule); doubt != typed.Clear || summary(got, 1) != want {
					t.Errorf("in %v %q is read as %+v, %q", languages, text, got, doubt)
				}
			}
		}
	}
}

// questionOf draws a question with any labels that a request may have.
func questionOf(t *rapid.T) ask.Question {
	labels := rapid.SliceOfNDistinct(rapid.OneOf(
		rapid.SampledFrom([]string{"a", "A", "b", "1", "2", "a, b", "a,b", "Yes", "no", "other: x", "2: a", "k7qd: a", "é"}),
		rapid.StringMatching(`[a-cA-C1-3,;: ]{1,6}`), rapid.StringN(1, 8, -1),
	), 1, 5, func(s string) string { return ask.Line(s) }).Draw(t, "labels")
	q := choose(labels...)
	q.MultiSelect, q.NoOther = rapid.Bool().Draw(t, "several"), rapid.Bool().Draw(t, "no other")
	return q
}

func TestReadLabelIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := questionOf(t)
		i := rapid.IntRange(0, len(q.Options)-1).Draw(t, "option")
		rule := typed.Rule{
			Code: "k7qd", Questions: []ask.Question{q}, Languages: typed.Languages(),
			Free: rapid.Bool().Draw(t, "free"), Strict: rapid.Bool().Draw(t, "strict"), Direct: rapid.Bool().Draw(t, "direct"),
		}
		text := "k7qd: " + q.Options[i].Label
		if got, doubt := typed.Read(text, rule); doubt == typed.Clear && (!cmp.Equal(got.Picks[0], []int{i}) || len(got.Texts) > 0) {
			t.Fatalf("%q of %q is read as %+v, want %d or a doubt", text, q.Options, got, i)
		}
	})
}

func TestCodesAreShortAndPlain(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for n := range 2000 {
		code := typed.Code(fmt.Sprint("p", n))
		if len(code) != 4 || strings.ContainsAny(code, "aeiouyl01") || code != strings.ToLower(code) {
			t.Fatalf("%q is no code", code)
		}
		codes[code] = true
	}
	if len(codes) < 1990 {
		t.Errorf("2000 requests have %d codes", len(codes))
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Postgres", "SQLite", "k7qd: 2", true, true, false)
	f.Add("a, b", "b", "a, b, other: c", true, false, false)
	f.Add("Yes", "No", "ja\n1: x", false, false, true)
	f.Add("Andere: a", "Überspringen", "andere: a", false, true, false)
	f.Add("Red", "Other: a", "red, andere antwort: b", true, true, false)
	for _, text := range talk {
		f.Add("Allow", "Deny", text, false, true, true)
	}
	f.Fuzz(func(t *testing.T, first, second, text string, many, free, strict bool) {
		questions := []ask.Question{choose(first, second), write}
		questions[0].MultiSelect = many
		for _, set := range [][]ask.Question{questions[:1], questions} {
			rule := typed.Rule{Code: "k7qd", Questions: set, Free: free, Strict: strict, Direct: true, Languages: []string{"de", "ko"}}
			got, doubt := typed.Read(text, rule)
			if doubt != typed.Clear {
				continue
			}
			for q, question := range set {
				picks, own := got.Picks[q], got.Texts[q]
				switch {
				case len(picks) == 0 && own == "":
					t.Fatalf("%q answers question %d with nothing", text, q)
				case !question.MultiSelect && (len(picks) > 1 || len(picks) == 1 && own != ""):
					t.Fatalf("%q answers question %d twice: %v %q", text, q, picks, own)
				case own != "" && (!free || strict):
					t.Fatalf("%q brings text of its own: %q", text, own)
				}
				for _, o := range picks {
					if o < 0 || o >= len(question.Options) {
						t.Fatalf("%q chooses option %d of question %d", text, o, q)
					}
				}
			}
			if strict && !strings.HasPrefix(strings.ToLower(ask.Line(text)), "k7qd") {
				t.Fatalf("%q decided without the code", text)
			}
		}
	})
}
