package mutants

import (
	"go/format"
	"strings"
	"testing"
)

// card is what the operators are tried on.
const card = `package p

const life, limit = 5 * time.Minute, 3

var signs = map[string]string{"link": "<", "bold": "*"}

type Card struct {
	Open bool
	Votes int
}

func (c *Card) Press(by Person, now time.Time) (bool, error) {
	if c.Open && by.May(c.ID) { // Who may press.
		c.Votes++
	}
	if err := c.save(now, "card", by); err != nil {
		return false, err
	}
	switch by.Kind {
	case Human, Bot:
		c.Done = true
	default:
		log(by)
	}
	switch {
	case c.Votes > limit:
		return true, nil
	case !c.Open:
		return false, errClosed
	}
	tell := func(who string) bool { return who == by.Name }
	c.Last, c.At = by.Name, now
	c.notify(Note{By: by.Name, At: now}, tell)
	return c.Votes == limit && tell(c.Owner), nil
}
`

func TestOperators(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do        operator
		old, want string // of the part that changes
	}{
		"never: an operand":              {never("May"), "c.Open && by.May(c.ID)", "c.Open && (false && (by.May(c.ID)))"},
		"never: a whole condition":       {never("Open", "May"), "c.Open && by.May(c.ID)", "(false && (c.Open && by.May(c.ID)))"},
		"never: a negation":              {never("!c.Open"), "case !c.Open:", "case (false && (!c.Open)):"},
		"never: a case without a value":  {never("Votes", ">"), "case c.Votes > limit:", "case (false && (c.Votes > limit)):"},
		"never: a result that is bool":   {never("who"), "return who == by.Name", "return (false && (who == by.Name))"},
		"never: one of two results":      {never("Owner"), "tell(c.Owner), nil", "(false && (tell(c.Owner))), nil"},
		"always: the condition of an if": {always("err"), "err != nil {", "(true || (err != nil)) {"},
		"when: a new condition":          {when("$ || by.Admin", "May"), "by.May(c.ID)", "(by.May(c.ID) || by.Admin)"},
		"drop: a statement":              {drop("notify"), "c.notify(Note{By: by.Name, At: now}, tell)", "if false { c.notify(Note{By: by.Name, At: now}, tell) }"},
		"drop: an if by its head":        {drop("save"), "if err := c.save(now, \"card\", by); err != nil {\n\t\treturn false, err\n\t}", "if false { if err := c.save(now, \"card\", by); err != nil {\n\t\treturn false, err\n\t} }"},
		"dropCase: by a value":           {dropCase("Bot"), "case Human, Bot:\n\t\tc.Done = true", ""},
		"dropCase: the default":          {dropCase("default"), "default:\n\t\tlog(by)", ""},
		"before a statement":             {before("audit(c)", "Done"), "c.Done = true", "audit(c); c.Done = true"},
		"after a statement":              {after("audit(\"100%\")", "Done"), "c.Done = true", "c.Done = true; audit(\"100%\")"},
		"instead of a statement":         {instead("c.Done = false", "Done"), "c.Done = true", "c.Done = false"},
		"returns: at once":               {returns("true, nil"), "(bool, error) {", "(bool, error) {if true { return true, nil }; "},
		"returns: in one place":          {returns("true, nil", "errClosed"), "return false, errClosed", "if true { return true, nil }; return false, errClosed"},
		"set: one of several":            {set("At", "time.Time{}", "Last"), "= by.Name, now", "= by.Name, time.Time{}"},
		"set: a key":                     {set("By", `""`), "By: by.Name", `By: ""`},
		"arg":                            {arg("save", 1, `"draft"`), `c.save(now, "card", by)`, `c.save(now, "draft", by)`},
		"call":                           {call("save", "errors.Join($, nil)"), `c.save(now, "card", by)`, `errors.Join(c.save(now, "card", by), nil)`},
		"omit: an argument":              {omit(`"card"`), `c.save(now, "card", by)`, `c.save(now, by)`},
		"omit: the last field":           {omit("At", ":"), "Note{By: by.Name, At: now}", "Note{By: by.Name}"},
		"omit: a value of a case":        {omit("Human"), "case Human, Bot:", "case Bot:"},
		"swap: an operator":              {swap(">", ">=", "Votes"), "c.Votes > limit", "c.Votes >= limit"},
		"swap: a name that occurs once":  {swap("errClosed", "nil"), "errClosed", "nil"},
		"within: a case":                 {within("Human", swap("true", "false")), "c.Done = true", "c.Done = false"},
		"within: a function literal":     {within("tell", returns("true")), "who string) bool {", "who string) bool {if true { return true }; "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := mutated(card, "Card.Press", c.do)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(card, c.old) != 1 {
				t.Fatalf("the card has %q %d times, want once", c.old, strings.Count(card, c.old))
			}
			if want := strings.Replace(card, c.old, c.want, 1); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if _, err := format.Source([]byte(got)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOperatorsOutsideOfFunctions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		declared  string
		do        operator
		old, want string
	}{
		{"life", set("life", "time.Hour"), "5 * time.Minute", "time.Hour"},
		{"limit", set("limit", "1"), "time.Minute, 3", "time.Minute, 1"},
		{"signs", omit(`"bold"`), `, "bold": "*"`, ""},
		{"Card", swap("Votes int", "Votes, Others int"), "Votes int", "Votes, Others int"},
	} {
		got, err := mutated(card, c.declared, c.do)
		if want := strings.Replace(card, c.old, c.want, 1); err != nil || got != want {
			t.Errorf("%s: %v, got:\n%s\nwant:\n%s", c.declared, err, got, want)
		}
	}
}

// Layout and comments may change, and so may everything else in the function.
func TestOperatorsIgnoreLayout(t *testing.T) {
	t.Parallel()
	const moved = `package p

func (card *Card) Press(by Person) {
	defer card.hold()()
	if card.Open && // Only while it is open.
		by.
			May(card.ID,
				"press") {
		card.Votes += 1
	}
}
`
	got, err := mutated(moved, "Card.Press", never("by.May"))
	if err != nil || !strings.Contains(got, "(false && (by.\n\t\t\tMay(card.ID,\n\t\t\t\t\"press\")))") {
		t.Errorf("%v, got:\n%s", err, got)
	}
}

func TestAmbiguousOperatorError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		declared string
		do       operator
		want     string
	}{
		"no such declaration":         {"Card.Release", drop("Done"), "not declared"},
		"a symbol that is gone":       {"Card.Press", never("Closed"), "no condition mentioning Closed: Closed does not occur"},
		"symbols in different places": {"Card.Press", never("errClosed", "May"), "no condition mentioning errClosed, May"},
		"two places":                  {"Card.Press", never("limit"), "condition mentioning limit: found 2 places, want one:\n\tline 26: c.Votes > limit\n\tline 34: c.Votes == limit"},
		"two heads":                   {"Card.Press", within("c", drop("Done")), "head mentioning c: found 4 places, want one"},
		"a name that occurs twice":    {"Card.Press", swap("Votes", "Likes"), "Votes occurs 3 times, want once"},
		"too few arguments":           {"Card.Press", arg("save", 3, "nil"), "save takes 3 arguments here"},
		"no function":                 {"life", returns("1"), "not a function"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := mutated(card, c.declared, c.do); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
}

func TestMissingDeclarationError(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]mutant{
		"ask, Draft.Missing: in draft.go: no condition mentioning Gone: Gone does not occur": broken("x").in("ask", "Draft.Missing", never("Gone")),
		"ask, Draft.Gone: declared 0 times in the package":                                   broken("x").in("ask", "Draft.Gone", never("Gone")),
		`swap.lua: "no such text" occurs 0 times, want once`:                                 broken("x").text("store/redis/scripts/swap.lua", "no such text", ""),
	} {
		if _, err := m.sources(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}
