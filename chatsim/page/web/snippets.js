// Programs that send a request, for copying.

// languages returns, for each language, a program that sends the request {method, url, body}.
export const languages = {
  curl: ({ method, url, body }) => (body
    ? `curl -s ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(body)}\n`
    : `curl -s ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}\n`),

  Go: ({ method, url, body }) => `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(${goString(body)})
	request, err := http.NewRequest(${JSON.stringify(method)}, ${JSON.stringify(url)}, body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status, string(text))
}
`,

  Python: ({ method, url, body }) => `import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},
    headers={"Content-Type": "application/json"},
    data=${body ? `${JSON.stringify(body)}.encode()` : 'None'},
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())
`,

  TypeScript: ({ method, url, body }) => `const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: { "Content-Type": "application/json" },${body ? `\n  body: ${JSON.stringify(body)},` : ''}
});
console.log(response.status, await response.text());
`,
};

// quoted quotes a word for a shell.
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function goString(text) {
  return text.includes('`') || text.includes('\r') ? JSON.stringify(text) : `\`${text}\``;
}
