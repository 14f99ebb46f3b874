package render

// PassForm asks for the person to pass the request on to. The subject may hold nothing but the ID, as
// in [WriteForm].
func PassForm(s Subject) Form {
	s = s.clean()
	f := Form{Token: s.token(SubmitPass, -1, -1), Title: s.voice.Form.PassTitle, Submit: s.voice.Form.Pass, Close: s.voice.Form.Cancel}
	if len(s.Questions) > 0 {
		text := Cut(Line(s.Questions[0].Text), summaryShown, nil)
		f.Sections = append(s.asks(), Section{Kind: Body, ID: "q0.text", Text: []Span{{Text: text}}})
	}
	f.Sections = append(f.Sections, Section{Kind: Picker, ID: "q-1", Input: &Input{
		Token: s.token(SubmitPass, -1, -1), Label: s.voice.Form.PassTo, Hint: s.voice.Form.PassHint, Empty: s.voice.Form.ChoosePerson, Required: true,
	}})
	return f
}
