package arch

import (
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// idiom matches words that the project once used all the time and comparable projects hardly use. A low count does
// not make the English plain, but a high one shows that it is not: rewrite the sentence instead of replacing the word.
var idiom = regexp.MustCompile(`(?i)\b(whoever|whom|whomever|nobody|somebody|stands|beside|tells?|told|says|said|takes note|anew|bears?|is to be|are to be|to be had|look after|hears?|heard of|go by|goes by|went by|as it stands|of ours|whose are|besides)\b`)

// word matches what counts as a word.
var word = regexp.MustCompile(`[A-Za-z']+`)

// Uses of the idiom allowed for each 10,000 words.
const (
	idiomInComments = 8
	idiomInTexts    = 12
	idiomInMarkdown = 10
)

// fixedTexts lists folders whose texts are not counted: models and hosts read them, and transcripts contain them.
var fixedTexts = []string{"hosts/claude", "hosts/connect", "mcpserver"}

// proseRate counts the words and the idiom of one kind of text.
type proseRate struct{ words, hits int }

func (r *proseRate) add(text string) {
	r.words += len(word.FindAllString(text, -1))
	r.hits += len(idiom.FindAllString(text, -1))
}

// exceeds reports whether there are more than limit hits for each 10,000 words. Two hits are always allowed: a small
// folder would exceed the limit with one.
func (r *proseRate) exceeds(limit int) bool { return r.hits > 2 && r.hits*10_000 > limit*r.words }

func TestCommentsAndTextsArePlainEnglish(t *testing.T) {
	t.Parallel()
	comments, texts := map[string]*proseRate{}, map[string]*proseRate{}
	at := func(rates map[string]*proseRate, folder string) *proseRate {
		if rates[folder] == nil {
			rates[folder] = &proseRate{}
		}
		return rates[folder]
	}
	for name, tree := range syntax(t).trees {
		if strings.Contains(name, "/testdata/") {
			continue
		}
		folder, test := path.Dir(name), strings.HasSuffix(name, "_test.go")
		counted := at(comments, folder)
		if test {
			counted = at(comments, folder+" (tests)")
		}
		names := declaredIn(tree)
		for _, group := range tree.Comments {
			counted.add(withoutNames(group.Text(), names))
		}
		if test || within(name, "internal/words") || slices.Contains(fixedTexts, folder) {
			continue // The texts of cards have rules of their own.
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && len(text) >= 12 {
					at(texts, folder).add(text)
				}
			}
			return true
		})
	}
	for folder, r := range comments {
		if r.exceeds(idiomInComments) {
			t.Errorf("%s: %d words of the old idiom in %d words of comments, limit %d in 10,000", folder, r.hits, r.words, idiomInComments)
		}
	}
	for folder, r := range texts {
		if r.exceeds(idiomInTexts) {
			t.Errorf("%s: %d words of the old idiom in %d words of texts, limit %d in 10,000", folder, r.hits, r.words, idiomInTexts)
		}
	}
}

func TestTestNamesArePlainEnglish(t *testing.T) {
	t.Parallel()
	for name, tree := range syntax(t).trees {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && testName.MatchString(f.Name.Name) {
				if words := strings.Join(humps.FindAllString(f.Name.Name, -1), " "); idiom.MatchString(words) {
					t.Errorf("%s: %s has a word of the old idiom: %s", name, f.Name.Name, idiom.FindString(words))
				}
			}
		}
	}
}

// commentsOf matches the comments of scripts, browser files and SDKs, by the ends of their names. Generated files have none.
var commentsOf = map[string]*regexp.Regexp{
	".js": slashes, ".mjs": slashes, ".ts": slashes, ".css": slashes,
	".py": regexp.MustCompile(`(?m)#.*$|(?s:""".*?""")`),
	".sh": regexp.MustCompile(`(?m)^\s*#.*$`),
}

var slashes = regexp.MustCompile(`(?m)(?:^|\s)//.*$|(?s:/\*.*?\*/)`)

func TestCommentsOfOtherLanguagesArePlainEnglish(t *testing.T) {
	t.Parallel()
	rates := map[string]*proseRate{}
	for _, name := range tracked(t) {
		matches := commentsOf[path.Ext(name)]
		if matches == nil || strings.Contains(name, "/testdata/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		folder := path.Dir(name)
		if rates[folder] == nil {
			rates[folder] = &proseRate{}
		}
		for _, text := range matches.FindAllString(string(data), -1) {
			rates[folder].add(text)
		}
	}
	if len(rates) < 10 {
		t.Errorf("comments were counted in %d folders only", len(rates))
	}
	for folder, r := range rates {
		if r.exceeds(idiomInComments) {
			t.Errorf("%s: %d words of the old idiom in %d words of comments, limit %d in 10,000", folder, r.hits, r.words, idiomInComments)
		}
	}
}

// testName matches the names of functions that go test runs.
var testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)`)

// declaredIn returns the names of functions, types and fields that a file declares.
func declaredIn(tree *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names[n.Name.Name] = true
		case *ast.TypeSpec:
			names[n.Name.Name] = true
		case *ast.Field:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// withoutNames removes names from a comment: the declared name at its start, and a qualified name such as
// "[Options.Beside]".
func withoutNames(text string, names map[string]bool) string {
	if first, rest, ok := strings.Cut(text, " "); ok && names[first] {
		text = rest
	}
	return qualified.ReplaceAllString(text, "")
}

// qualified matches a selector.
var qualified = regexp.MustCompile(`\b\w+\.\w+\b`)

// fenced matches a block of code in Markdown.
var fenced = regexp.MustCompile("(?s)```.*?```")

func TestPagesArePlainEnglish(t *testing.T) {
	t.Parallel()
	var all proseRate
	for _, name := range tracked(t) {
		if path.Ext(name) != ".md" || strings.Contains(name, "/decisions/") || path.Base(name) == "CHANGELOG.md" || strings.Contains(name, "/testdata/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		var page proseRate
		page.add(fenced.ReplaceAllString(string(data), " "))
		all.words, all.hits = all.words+page.words, all.hits+page.hits
		if page.exceeds(3 * idiomInMarkdown) {
			t.Errorf("%s: %d words of the old idiom in %d words, limit %d in 10,000", name, page.hits, page.words, 3*idiomInMarkdown)
		}
	}
	if all.exceeds(idiomInMarkdown) {
		t.Errorf("%d words of the old idiom in %d words of Markdown, limit %d in 10,000", all.hits, all.words, idiomInMarkdown)
	}
}
