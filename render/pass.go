package render

// claimRow is the row for claiming the request and passing it on.
func claimRow(s Subject) []Section {
	var row []Button
	if s.Claims {
		row = append(row, Button{Token: s.token(Claiming, -1, -1), Label: s.voice.label.claim})
	}
	if s.Passes {
		row = append(row, Button{Token: s.token(OpenPass, -1, -1), Label: s.voice.label.pass})
	}
	if len(row) == 0 {
		return nil
	}
	return []Section{{Kind: Row, ID: "claim", Buttons: row}}
}

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
