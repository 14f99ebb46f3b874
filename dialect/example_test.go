package dialect_test

import (
	"fmt"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/dialect"
)

// What an API does with the input of a host's tool: decode, ask, encode.
func Example() {
	input := []byte(`{"question":"Deploy 4.2?","choices":["Now","Tonight"]}`)
	d, _ := dialect.Get("opal")

	call, err := d.Decode(input, nil)
	if err != nil {
		fmt.Println(string(d.Refuse(input, err).Body))
		return
	}
	fmt.Println(call.Request.Questions[0].Text)

	// The bridge asks people and returns how it ended.
	outcome := ask.Outcome{State: ask.Answered, Answers: []ask.Answer{{Index: 0, Selected: []string{"Tonight"}}}}

	result := d.Encode(input, outcome, nil)
	fmt.Println(string(result.Body), result.IsError)
	// Output:
	// Deploy 4.2?
	// {"answer":"Tonight"} false
}

// A wrong input is refused in the host's own form, with every problem named.
func ExampleDialect_Refuse() {
	input := []byte(`{"questions_json":"[{\"question\":\"Test?\"}]"}`)
	d, _ := dialect.Get("agno")
	_, err := d.Decode(input, nil)
	fmt.Println(string(d.Refuse(input, err).Body))
	// Output:
	// {
	//   "error": "Question 0 missing required fields",
	//   "status": "failed"
	// }
}
