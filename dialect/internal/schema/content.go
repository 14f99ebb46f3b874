package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
)

// errForm is the error for an answer that does not fit the form.
var errForm = errors.New("the answer does not fit the form")

// Content returns the form with the answers to some of the questions.
func Content(picks []answer.Pick) (js.Text, error) {
	var members []js.Member
	for _, p := range picks {
		switch {
		case p.Skipped && p.Required:
			return "", fmt.Errorf("%w: %s is required", errForm, p.Key.Text)
		case p.Skipped:
			continue
		case p.Kind != "choice":
			value, err := typedValue(p)
			if err != nil {
				return "", err
			}
			members = append(members, p.Key.At(value))
			continue
		}
		switch {
		case p.Multi && len(p.Keys) > 0:
			members = append(members, p.Key.At(js.List(p.Keys)))
		case len(p.Keys) > 0:
			members = append(members, p.Key.At(p.Keys[0].JSON))
		}
		if p.Other != "" {
			members = append(members, p.Item.Other.At(js.String(p.Other)))
		}
	}
	return js.Object(members...), nil
}

// typedValue converts typed text to the property's type.
func typedValue(p answer.Pick) (js.Text, error) {
	switch p.Kind {
	case "number":
		if _, err := strconv.ParseFloat(p.Other, 64); err == nil && json.Valid([]byte(p.Other)) {
			return js.Text(p.Other), nil
		}
		return "", fmt.Errorf("%w: %s must be a number", errForm, p.Key.Text)
	case "integer":
		if n, err := strconv.ParseInt(p.Other, 10, 64); err == nil {
			return js.Text(strconv.FormatInt(n, 10)), nil
		}
		return "", fmt.Errorf("%w: %s must be a whole number", errForm, p.Key.Text)
	}
	return js.String(p.Other), nil
}
