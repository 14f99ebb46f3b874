package arch

// module is the path of this module; the tables name our packages relative to it.
const module = "github.com/askbridge/askbridge"

// row lists what one package may import in addition to the standard library.
type row struct {
	// ours lists packages of this module: a path, a path with "/..." for the
	// whole tree, or "public" for everything outside internal and cmd.
	ours []string
	// others lists modules of other people.
	others []string
	// pure packages may not reach for the network, files or processes.
	pure bool
	// harness packages exist for tests, so they may import testing and go-cmp.
	harness bool
}

const (
	slackSDK    = "github.com/slack-go/slack"
	discordSDK  = "github.com/bwmarrin/discordgo"
	redisSDK    = "github.com/redis/go-redis/v9"
	bbolt       = "go.etcd.io/bbolt"
	huma        = "github.com/danielgtaylor/huma/v2"
	mcpSDK      = "github.com/modelcontextprotocol/go-sdk"
	nextJSON    = "github.com/go-json-experiment/json"
	jsonschema  = "github.com/google/jsonschema-go"
	cobra       = "github.com/spf13/cobra"
	pflag       = "github.com/spf13/pflag"
	yaml        = "github.com/goccy/go-yaml"
	websocket   = "github.com/gorilla/websocket"
	udiff       = "github.com/aymanbagabas/go-udiff"
	uniseg      = "github.com/rivo/uniseg"
	rrule       = "github.com/teambition/rrule-go"
	lru         = "github.com/hashicorp/golang-lru/v2"
	uuid        = "github.com/google/uuid"
	eventStream = "github.com/tmaxmax/go-sse"
	promSDK     = "github.com/prometheus/client_golang"
	otel        = "go.opentelemetry.io/otel"
	otelSDK     = "go.opentelemetry.io/otel/sdk"
	otelTrace   = "go.opentelemetry.io/otel/trace"
	otlpTrace   = "go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	otlpProto   = "go.opentelemetry.io/proto/otlp"
	protobuf    = "google.golang.org/protobuf"
	oidc        = "github.com/coreos/go-oidc/v3"
	oauth2      = "golang.org/x/oauth2"
	xsync       = "golang.org/x/sync"
	xtext       = "golang.org/x/text"
	xtime       = "golang.org/x/time"
	xterm       = "golang.org/x/term"
	xtools      = "golang.org/x/tools"
	rapid       = "pgregory.net/rapid"
	gocmp       = "github.com/google/go-cmp"
)

// table is the import table. A key is a package, or a tree ending in "/...";
// the longest key that fits is the one that counts.
var table = map[string]row{
	"ask":     {ours: []string{"internal/spelling", "internal/textinput"}, pure: true},
	"dialect": {ours: []string{"dialect/internal/...", "ask", "internal/strictjson", "internal/textinput", "internal/visible"}, pure: true},

	// The machinery that the dialects share, from the bottom up.
	"dialect/internal/js":        {pure: true},
	"dialect/internal/quote":     {ours: []string{"dialect/internal/js", "internal/visible"}, pure: true},
	"dialect/internal/diff":      {ours: []string{"dialect/internal/js", "dialect/internal/quote", "internal/strictjson", "internal/visible"}, others: []string{udiff}, pure: true},
	"dialect/internal/preview":   {ours: []string{"dialect/internal/diff", "dialect/internal/js", "dialect/internal/quote", "internal/strictjson", "internal/visible"}, pure: true},
	"dialect/internal/lenient":   {ours: []string{"dialect/internal/js", "ask", "internal/spelling"}, pure: true},
	"dialect/internal/question":  {ours: []string{"dialect/internal/js", "dialect/internal/lenient", "dialect/internal/quote", "ask", "internal/spelling"}, pure: true},
	"dialect/internal/answer":    {ours: []string{"dialect/internal/js", "dialect/internal/question", "dialect/internal/quote", "ask"}, pure: true},
	"dialect/internal/schema":    {ours: []string{"dialect/internal/answer", "dialect/internal/js", "dialect/internal/question", "ask", "internal/spelling", "internal/strictjson"}, pure: true},
	"dialect/internal/operation": {ours: []string{"dialect/internal/diff", "dialect/internal/js", "dialect/internal/preview", "dialect/internal/question", "dialect/internal/quote", "ask", "internal/strictjson", "internal/visible"}, pure: true},

	"resolver": {ours: []string{"dialect", "ask", "internal/visible"}, pure: true},

	"render":            {ours: []string{"ask", "internal/lookalike", "internal/words"}, others: []string{uniseg, xtext}, pure: true},
	"render/blockkit":   {ours: []string{"render", "ask"}, others: []string{slackSDK, uniseg, xtext}, pure: true},
	"render/components": {ours: []string{"render", "ask"}, others: []string{discordSDK, nextJSON, uniseg, xtext}, pure: true},

	// What a chat platform must implement.
	"platform": {ours: []string{"ask", "render"}, pure: true},

	// The state of one request and its transitions.
	"bridge/record": {ours: []string{"ask", "internal/typed", "internal/wait"}, pure: true},
	// What the engine needs from a store, and the events that it reports.
	"bridge/storage": {ours: []string{"ask", "bridge/record"}},
	"bridge/observe": {ours: []string{"bridge/record"}},
	// The engine: bridge is the face, respond and intake use deliver, deliver uses ratelimit and state.
	"bridge/internal/state":     {ours: []string{"ask", "bridge/observe", "bridge/record", "bridge/storage", "internal/wait", "platform"}, others: []string{lru}},
	"bridge/internal/ratelimit": {ours: []string{"ask", "internal/ratelimit", "platform"}, others: []string{lru}},
	"bridge/internal/deliver":   {ours: []string{"ask", "bridge/internal/ratelimit", "bridge/internal/state", "bridge/observe", "bridge/record", "bridge/storage", "internal/wait", "internal/words", "platform", "render"}},
	"bridge/internal/respond":   {ours: []string{"ask", "bridge/internal/deliver", "bridge/internal/state", "bridge/observe", "bridge/record", "bridge/storage", "internal/typed", "internal/words", "platform", "render"}, others: []string{lru}},
	"bridge/internal/inbox":     {ours: []string{"ask", "bridge/internal/deliver", "bridge/internal/state", "bridge/record", "bridge/storage", "internal/wait", "internal/words", "platform", "render"}, others: []string{lru}},
	"bridge/internal/digest":    {ours: []string{"ask", "bridge/internal/deliver", "bridge/internal/inbox", "bridge/internal/state", "bridge/record", "bridge/storage", "internal/wait", "platform", "render"}},
	"bridge/internal/intake":    {ours: []string{"ask", "bridge/internal/deliver", "bridge/internal/state", "bridge/observe", "bridge/record", "bridge/storage", "internal/lookalike", "internal/words", "platform", "render"}},
	"bridge":                    {ours: []string{"ask", "bridge/internal/deliver", "bridge/internal/digest", "bridge/internal/inbox", "bridge/internal/intake", "bridge/internal/ratelimit", "bridge/internal/respond", "bridge/internal/state", "bridge/observe", "bridge/record", "bridge/storage", "internal/wait", "platform"}},
	"bridge/bridgetest":         {ours: []string{"ask", "bridge/record", "bridge/storage", "platform", "render"}, harness: true},

	// What stores have in common; each of them in a folder of its own, so that a program links only what it uses.
	"store":                          {ours: []string{"ask", "bridge/record", "bridge/storage", "store/internal/codec", "store/keyvalue", "store/seal"}},
	"store/seal":                     {},
	"store/keyvalue":                 {ours: []string{"bridge/storage"}},
	"store/internal/codec":           {ours: []string{"ask", "bridge/record", "bridge/storage", "store/keyvalue", "store/seal"}, others: []string{nextJSON}},
	"store/internal/index":           {ours: []string{"bridge/record", "bridge/storage", "store/internal/codec"}},
	"store/internal/watch":           {ours: []string{"bridge/record", "bridge/storage"}},
	"store/internal/local":           {ours: []string{"bridge/record", "bridge/storage", "store", "store/internal/codec", "store/internal/index", "store/internal/watch", "store/keyvalue", "store/seal"}},
	"store/memory":                   {ours: []string{"bridge/storage", "store/internal/codec", "store/internal/index", "store/internal/local"}},
	"store/file":                     {ours: []string{"bridge/storage", "store/internal/codec", "store/internal/index", "store/internal/local", "store/seal"}, others: []string{bbolt}},
	"store/redis":                    {ours: []string{"ask", "bridge/record", "bridge/storage", "internal/loopback", "store", "store/internal/codec", "store/internal/index", "store/internal/watch", "store/keyvalue", "store/redis/internal/roundtrip", "store/seal"}, others: []string{redisSDK}},
	"store/redis/internal/roundtrip": {others: []string{redisSDK}},
	"store/storetest":                {ours: []string{"bridge/storage", "store/keyvalue"}, others: []string{rapid}, harness: true},
	"store/internal/fixture":         {ours: []string{"ask", "bridge/record", "bridge/storage"}, others: []string{rapid}, harness: true},

	"slack":   {ours: []string{"render", "render/blockkit", "ask", "internal/connector", "internal/ratelimit", "internal/wait", "internal/words", "platform"}, others: []string{slackSDK, lru, websocket, xsync, xtime}},
	"discord": {ours: []string{"render", "render/components", "ask", "internal/connector", "internal/ratelimit", "internal/wait", "internal/words", "platform"}, others: []string{discordSDK, lru, websocket, xsync, xtime}},

	// What the program needs from a platform in addition to its connector. A connector links neither the
	// configuration reader nor a double.
	"slack/install":  {ours: []string{"slack", "bridge/storage", "internal/connector", "internal/wait", "store/keyvalue"}, others: []string{slackSDK}},
	"slack/bundle":   {ours: []string{"slack", "slack/install", "ask", "internal/app/config", "internal/app/doctor", "internal/app/provider", "internal/connector", "store/keyvalue", "chatsim/page", "chatsim/slacksim"}},
	"discord/bundle": {ours: []string{"discord", "ask", "internal/app/config", "internal/app/doctor", "internal/app/provider", "chatsim/page", "chatsim/discordsim"}},

	"access": {ours: []string{"bridge", "dialect", "ask", "internal/lookalike", "internal/proof", "internal/ratelimit", "internal/tokentext", "store/keyvalue", "platform"}, others: []string{xtime}},

	// A client knows the API and nothing behind it, and so do those who use it.
	"client": {ours: []string{"dialect", "ask", "internal/loopback", "internal/proof", "internal/tokentext", "internal/wait"}},

	// Who signs in at the console, and the only package that knows OpenID Connect.
	"internal/signin": {ours: []string{"access", "bridge/storage", "store/keyvalue"}, others: []string{oidc, oauth2}},

	"api": {ours: []string{"client", "access", "bridge", "bridge/record", "dialect", "ask", "internal/connlimit", "internal/hijack", "internal/proof", "internal/loopback", "internal/spelling", "internal/textinput", "internal/tokentext", "platform"}, others: []string{huma, xsync}},
	// Serves the bridge of its own process, or a remote one over HTTP.
	"webhook":   {ours: []string{"bridge", "ask"}},
	"mcpserver": {ours: []string{"access", "bridge", "bridge/record", "dialect", "ask", "client", "internal/loopback", "internal/spelling", "internal/strictjson", "internal/textinput", "internal/visible"}, others: []string{mcpSDK, jsonschema}},
	// The hook is a process of its own that talks to a running bridge over HTTP.
	"hosts/claude": {ours: []string{"client", "dialect", "ask", "internal/strictjson", "internal/textinput", "internal/wait"}},
	// So are the clients of hosts with a protocol of their own.
	"hosts/connect": {ours: []string{"client", "dialect", "ask", "internal/strictjson", "internal/wait"}, others: []string{eventStream, uuid, websocket}},

	"chatsim":     {ours: []string{"chatsim/..."}, others: []string{websocket}},
	"chatsim/...": {ours: []string{"chatsim", "chatsim/..."}, others: []string{websocket}},
	// Bots written with other people's libraries, in front of the doubles.
	"test/peers": {ours: []string{"chatsim/...", "test/logbuffer", "test/need"}, harness: true},

	"askbridgetest": {ours: []string{"public"}, harness: true},

	// What a person decides about is read in one way.
	"internal/strictjson": {ours: []string{"ask", "internal/visible"}, others: []string{nextJSON}, pure: true},
	// What people type in answer to a card is read in one way.
	"internal/typed": {ours: []string{"ask"}, others: []string{xtext}, pure: true},
	// The texts of cards and notes in each language.
	"internal/words": {pure: true},
	// What others wrote is shown so that nothing hides in it.
	"internal/visible": {pure: true},
	// The building blocks of rate limits.
	"internal/ratelimit": {others: []string{xtime}},
	// Texts that people cannot tell apart are equal.
	"internal/lookalike": {others: []string{xtext}, pure: true},
	// The pace of the garbage collector, and nothing else.
	"internal/collector": {},
	// Which connections of a server are closed when there are too many.
	"internal/connlimit": {others: []string{xtime}},
	// The connections of calls that wait, and nothing else.
	"internal/hijack": {},
	// The encodings in which text is sent to us.
	"internal/textinput": {pure: true},
	// Which word was meant, in a file and in a query.
	"internal/spelling": {pure: true},
	// One way to let time pass.
	"internal/wait": {pure: true},
	// Where a coding agent works.
	"internal/checkout": {ours: []string{"ask"}},
	// Every guard and warning means the same by this machine.
	"internal/loopback": {},
	// What both ends of a call of the API must agree on.
	"internal/proof": {},
	// The format of a token, for programs that make, accept or type one.
	"internal/tokentext": {},
	// What the connectors have in common knows none of them.
	"internal/connector": {ours: []string{"ask", "internal/connlimit", "internal/wait", "internal/words", "platform"}, others: []string{nextJSON}},

	// The only package that knows the metrics library.
	"internal/app/metrics": {ours: []string{"bridge", "bridge/record", "ask", "platform"}, others: []string{promSDK}},

	// The only package that knows OpenTelemetry.
	"internal/app/traces": {ours: []string{"bridge", "bridge/record", "internal/wait", "platform"}, others: []string{otel, otelSDK, otelTrace, otlpTrace, otlpProto, protobuf}},

	// Who is on call by a calendar.
	"internal/app/rota": {ours: []string{"internal/textinput"}, others: []string{rrule, xtext}},

	// The audit trail: from the records into a chain, and out of it.
	"internal/app/audit": {ours: []string{"bridge", "bridge/record", "ask", "store/keyvalue", "webhook"}},

	// How many requests there were and how they ended, from the audit trail.
	"internal/app/numbers": {ours: []string{"internal/app/audit", "bridge/record", "bridge/storage", "ask", "client"}},

	"internal/app/config": {ours: []string{"access", "bridge", "ask", "internal/loopback", "internal/app/rota", "internal/spelling", "internal/textinput", "internal/tokentext", "store/seal", "webhook"}, others: []string{yaml}},
	"internal/app": {
		ours: []string{"public", "slack/bundle", "discord/bundle", "internal/app/audit", "internal/app/config", "internal/connector", "internal/connlimit", "internal/app/doctor", "internal/loopback", "internal/app/metrics", "internal/app/numbers", "internal/app/provider", "internal/app/redisconfig", "internal/app/rota", "internal/signin", "internal/tokentext", "internal/app/traces", "internal/wait"}, others: []string{xsync, xtime},
	},
	"internal/app/redisconfig": {ours: []string{"internal/app/config", "store/redis"}},
	"internal/app/doctor":      {ours: []string{"access", "ask", "bridge", "internal/app/config", "internal/app/redisconfig", "internal/app/rota", "internal/visible", "store", "store/file", "store/keyvalue", "store/redis", "store/seal"}},
	// What a platform has to offer; which there are is known to internal/app alone.
	"internal/app/provider": {ours: []string{"chatsim", "chatsim/page", "internal/app/config", "internal/app/doctor", "platform", "store/keyvalue"}},
	"cmd/askbridge": {
		ours: []string{
			"bridge", "bridge/record", "store", "store/file", "store/memory", "store/seal", "internal/app", "internal/app/audit", "internal/app/config", "internal/app/doctor", "internal/app/provider", "access", "api", "client", "hosts/claude", "hosts/connect", "mcpserver", "dialect", "ask",
			"internal/checkout", "internal/collector", "internal/loopback", "internal/textinput", "internal/tokentext", "internal/visible", "internal/wait", "internal/words", "chatsim", "chatsim/...", "render/testdata/cases",
		},
		others: []string{cobra, pflag, xterm},
	},

	"internal/arch":   {},
	"test/idp":        {harness: true},
	"test/need":       {harness: true},
	"test/logbuffer":  {pure: true},
	"test/doctortest": {ours: []string{"internal/app/config", "internal/app/doctor"}, harness: true},
	"test/golden":     {others: []string{xtools}, harness: true},
	"test/redistest":  {ours: []string{"test/need"}, others: []string{redisSDK}, harness: true},
	// The benchmarks run the program from outside.
	"test/bench":     {ours: []string{"public", "internal/app", "internal/collector", "internal/app/config", "test/bench/..."}, others: []string{redisSDK}},
	"test/bench/...": {ours: []string{"public", "internal/app", "internal/collector", "internal/app/config", "internal/app/provider", "test/bench", "test/bench/..."}, others: []string{redisSDK, websocket}},

	// The suites of faults drive the whole program from outside.
	"test/faults": {ours: []string{"public", "internal/app/provider", "test/logbuffer", "test/need", "test/redistest"}, harness: true},
	"test/chaos":  {ours: []string{"public", "internal/words", "test/faults"}, harness: true},

	// Real agent hosts with a scripted model.
	"test/hosts":       {ours: []string{"public", "slack/bundle", "internal/app", "internal/app/config", "internal/app/provider", "test/hosts/model", "test/logbuffer", "test/need"}, harness: true},
	"test/hosts/model": {},

	// What is released, made and tried.
	"test/packages": {ours: []string{"test/need"}, others: []string{yaml}, harness: true},

	// The SDKs, in other languages, are tested against a process of this.
	"test/sdkbridge": {ours: []string{"public", "slack/bundle", "discord/bundle", "internal/app", "internal/app/config", "internal/app/provider"}},

	// A third platform, for those who show what one takes.
	"test/listings": {},
	"test/pager":    {ours: []string{"ask", "render", "internal/app/config", "internal/app/doctor", "internal/app/provider", "platform"}},

	// Claude Code as its hooks see it, for this module's tests.
	"test/claudehost": {},

	// The mutants break the sources and let other tests run.
	// The promises of security.md, each with the tests that hold it.
	"test/security": {harness: true},
	"test/mutants":  {ours: []string{"test/faults"}, harness: true},

	"examples/...":      {ours: []string{"public"}},
	"scripts/cardtable": {others: []string{xtools}},
	"scripts/...":       {},
}

// testOnly are modules that only tests and harness packages may import.
var testOnly = []string{
	gocmp,
	"github.com/alicebob/miniredis/v2",
	"github.com/anishathalye/porcupine",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/standard-webhooks/standard-webhooks/libraries",
	"github.com/chromedp/cdproto",
	"github.com/chromedp/chromedp",
	"github.com/rogpeppe/go-internal",
	"go.uber.org/goleak",
	xtools,
	rapid,
}

// harnessOnly packages link the testing package, so nothing that ships may
// import them.
var harnessOnly = []string{"askbridgetest", "bridge/bridgetest", "store/storetest", "store/internal/fixture", "test/doctortest", "test/faults", "test/golden", "test/need", "test/redistest", "test/chaos"}

// impure is what a pure package may not import.
var impure = []string{"net", "net/http", "os", "os/exec", "syscall"}
