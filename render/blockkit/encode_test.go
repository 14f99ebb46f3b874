package blockkit_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	slackapi "github.com/slack-go/slack"

	"github.com/askbridge/askbridge/render/blockkit"
)

// read is what a receiver reads.
func read(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

func TestBlocksAreWhatTheLibraryMakesOfThem(t *testing.T) {
	t.Parallel()
	text := func(s string) *slackapi.TextBlockObject {
		return slackapi.NewTextBlockObject(slackapi.PlainTextType, s, false, false)
	}
	formatted := slackapi.NewTextBlockObject(slackapi.MarkdownType, "*bot* asks <@U1>", false, true)
	button := slackapi.NewButtonBlockElement("2:p0:c:0:1", "", text("Ship"))
	button.Style = slackapi.StylePrimary
	link := slackapi.NewButtonBlockElement("", "v", text("Runbook"))
	link.URL = "https://example.com/?a=1&b=<2>"
	asking := slackapi.NewButtonBlockElement("2:x", "", text("Delete"))
	asking.Confirm = slackapi.NewConfirmationBlockObject(text("Sure?"), text("It is gone then."), text("Delete"), text("Keep"))
	option := slackapi.NewOptionBlockObject("0", text("A"), text("the first"))
	menu := slackapi.NewOptionsSelectBlockElement(slackapi.OptTypeStatic, text("Choose"), "2:l", option)
	wide := slackapi.NewSectionBlock(text("wide"), []*slackapi.TextBlockObject{text("field")}, nil)
	wide.Expand = true
	run := slackapi.NewRichTextSectionTextElement
	fallback := "tomorrow"
	for name, blocks := range map[string][]slackapi.Block{
		"nothing":            {},
		"a section":          {slackapi.NewSectionBlock(text("Which?"), nil, nil, slackapi.SectionBlockOptionBlockID("q"))},
		"a section, no text": {slackapi.NewSectionBlock(nil, nil, nil)},
		"sections that hold more": {
			wide, slackapi.NewSectionBlock(text("Which?"), nil, slackapi.NewAccessory(menu)),
		},
		"a frame": {slackapi.NewContextBlock("c", formatted, text("`a name`")), slackapi.NewContextBlock("")},
		"a frame with a picture": {
			slackapi.NewContextBlock("c", slackapi.NewImageBlockElement("https://example.com/a.png", "a"), formatted),
		},
		"buttons":               {slackapi.NewActionBlock("b", button, link, asking), slackapi.NewActionBlock("")},
		"a button that is bare": {slackapi.NewActionBlock("b", &slackapi.ButtonBlockElement{Type: slackapi.METButton})},
		"a row without a list":  {&slackapi.ActionBlock{Type: slackapi.MBTAction}},
		"a menu":                {slackapi.NewActionBlock("b", menu)},
		"rich text": {slackapi.NewRichTextBlock("r",
			slackapi.NewRichTextSection(run("Why ", nil), run("now", &slackapi.RichTextSectionTextStyle{Bold: true}),
				slackapi.NewRichTextSectionLinkElement("https://example.com/<&>", "", nil),
				slackapi.NewRichTextSectionDateElement(1, "{date}", nil, &fallback)),
			slackapi.NewRichTextList(slackapi.RTEListBullet, 0, slackapi.NewRichTextSection(run("one", nil))),
			&slackapi.RichTextPreformatted{Type: slackapi.RTEPreformatted, Elements: []slackapi.RichTextSectionElement{run("code", nil)}},
			slackapi.NewRichTextSection(),
		)},
		"texts that JSON spells": {
			slackapi.NewSectionBlock(text("quote \" backslash \\ tab \t bell \a line \n return \r separator \u2028 delete \x7f"), nil, nil),
			slackapi.NewSectionBlock(text("<b>&amp; ümläut 👍 日本"), nil, nil),
		},
		"what no card has": {slackapi.NewDividerBlock(), slackapi.NewHeaderBlock(text("Head")), slackapi.NewImageBlock("https://example.com/a.png", "a", "i", text("t"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			theirs, err := json.Marshal(blocks)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := blockkit.AppendBlocks([]byte(`{"blocks":`), blocks)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"blocks": read(t, theirs)}
			if diff := cmp.Diff(any(want), read(t, append(ours, '}'))); diff != "" {
				t.Errorf("the library's, and ours:\n%s", diff)
			}
		})
	}
}

// unwritable is a block that cannot be encoded.
type unwritable struct{ slackapi.DividerBlock }

func (unwritable) MarshalJSON() ([]byte, error) { return nil, refused("no") }

type refused string

func (e refused) Error() string { return string(e) }

func TestABlockThatCannotBeEncodedIsAnError(t *testing.T) {
	t.Parallel()
	if data, err := blockkit.AppendBlocks(nil, []slackapi.Block{slackapi.NewDividerBlock(), unwritable{}}); err == nil {
		t.Errorf("it is written: %s", data)
	}
}

// BenchmarkEncode writes the blocks of an everyday card, by the library and by ourselves.
func BenchmarkEncode(b *testing.B) {
	text := func(s string) *slackapi.TextBlockObject {
		return slackapi.NewTextBlockObject(slackapi.PlainTextType, s, false, false)
	}
	frame := slackapi.NewTextBlockObject(slackapi.MarkdownType, "*deploys* asks", false, true)
	var buttons []slackapi.BlockElement
	for _, label := range []string{"Postgres", "SQLite", "Redis", "Other…"} {
		buttons = append(buttons, slackapi.NewButtonBlockElement("2:p0:abcdefghijklmnopqrst:0:1", "", text(label)))
	}
	card := []slackapi.Block{
		slackapi.NewContextBlock("a", frame), slackapi.NewSectionBlock(text("Which database should the service use?"), nil, nil),
		slackapi.NewActionBlock("b", buttons...), slackapi.NewContextBlock("c", frame),
	}
	for name, encode := range map[string]func() ([]byte, error){
		"library": func() ([]byte, error) { return json.Marshal(card) },
		"ours":    func() ([]byte, error) { return blockkit.AppendBlocks(nil, card) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
