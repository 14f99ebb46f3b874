package traces

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The defaults of https://opentelemetry.io/docs/specs/otel/protocol/exporter/.
const (
	defaultEndpoint = "http://localhost:4318"
	tracesPath      = "/v1/traces"
	defaultTimeout  = 10 * time.Second
)

// headerName is a token of https://www.rfc-editor.org/rfc/rfc9110#name-tokens.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// settings are what the environment says about the exporter.
type settings struct {
	endpoint *url.URL
	headers  http.Header
	gzip     bool
	timeout  time.Duration
	tls      *tls.Config // nil for the system's
}

// environment reads variables.
type environment func(name string) string

// exporter returns a setting of the exporter: that for traces, else that for everything.
func (e environment) exporter(name string) (variable, value string) {
	variable = "OTEL_EXPORTER_OTLP_TRACES_" + name
	if value = e(variable); value == "" {
		variable = "OTEL_EXPORTER_OTLP_" + name
		value = e(variable)
	}
	return variable, value
}

// on reports whether somebody wants traces.
func (e environment) on() bool {
	if strings.EqualFold(e("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	_, endpoint := e.exporter("ENDPOINT")
	switch e("OTEL_TRACES_EXPORTER") {
	case "none":
		return false
	case "":
		return endpoint != ""
	}
	return true
}

// read returns the settings, or everything wrong with them.
func (e environment) read() (*settings, error) {
	s := &settings{timeout: defaultTimeout, headers: http.Header{}}
	var problems []error
	wrong := func(variable, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s %s", variable, fmt.Sprintf(format, args...)))
	}
	if off := e("OTEL_SDK_DISABLED"); off != "" && !strings.EqualFold(off, "false") {
		wrong("OTEL_SDK_DISABLED", "is %q; true and false are known", off)
	}
	if to := e("OTEL_TRACES_EXPORTER"); to != "" && to != "otlp" {
		wrong("OTEL_TRACES_EXPORTER", "is %q; otlp and none are known", to)
	}
	if name, p := e.exporter("PROTOCOL"); p != "" && p != "http/protobuf" {
		wrong(name, "is %q; http/protobuf alone is spoken here, which collectors take at port 4318", p)
	}
	var err error
	if s.endpoint, err = e.endpoint(); err != nil {
		problems = append(problems, err)
	}
	switch name, how := e.exporter("COMPRESSION"); how {
	case "", "none":
	case "gzip":
		s.gzip = true
	default:
		wrong(name, "is %q; gzip and none are known", how)
	}
	if name, ms := e.exporter("TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			wrong(name, "is no number of milliseconds above 0")
		}
		s.timeout = time.Duration(n) * time.Millisecond
	}
	name, list := e.exporter("HEADERS")
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, both := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(value))
		if !both || err != nil || !headerName.MatchString(strings.TrimSpace(key)) || strings.ContainsAny(text, "\r\n\x00") {
			wrong(name, "is no list of name=value with commas between") // It may hold a secret.
			break
		}
		s.headers.Set(strings.TrimSpace(key), text)
	}
	if s.tls, err = e.tls(); err != nil {
		problems = append(problems, err)
	}
	e.checkSDK(wrong)
	return s, errors.Join(problems...)
}

// endpoint is where spans go. An address for traces is taken as it is.
func (e environment) endpoint() (*url.URL, error) {
	name, address := e.exporter("ENDPOINT")
	if address == "" {
		address = defaultEndpoint
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s is no address such as %s", name, defaultEndpoint)
	case name == "OTEL_EXPORTER_OTLP_ENDPOINT":
		return u.JoinPath(tracesPath), nil
	case u.Path == "":
		u.Path = "/"
	}
	return u, nil
}

// tls is how the collector is known, and we to it.
func (e environment) tls() (*tls.Config, error) {
	name, certificate := e.exporter("CERTIFICATE")
	ownName, own := e.exporter("CLIENT_CERTIFICATE")
	keyName, key := e.exporter("CLIENT_KEY")
	if certificate == "" && own == "" && key == "" {
		return nil, nil //nolint:nilnil // The system's is no mistake.
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if certificate != "" {
		pem, err := os.ReadFile(certificate)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s holds no certificate", name, certificate)
		}
	}
	switch {
	case own == "" && key == "":
		return c, nil
	case own == "":
		return nil, fmt.Errorf("%s is missing beside %s", ownName, keyName)
	case key == "":
		return nil, fmt.Errorf("%s is missing beside %s", keyName, ownName)
	}
	pair, err := tls.LoadX509KeyPair(own, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", ownName, keyName, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// samplers are those that the SDK knows, and whether they go by a ratio.
var samplers = map[string]bool{
	"always_on": false, "always_off": false, "traceidratio": true,
	"parentbased_always_on": false, "parentbased_always_off": false, "parentbased_traceidratio": true,
}

// batching are the bounds of the numbers of batches: a queue of less than nothing has the SDK
// panic, and one that is looked at without a pause takes a processor.
var batching = []struct {
	variable    string
	least, most int
}{
	{"OTEL_BSP_SCHEDULE_DELAY", 1, dayMillis},
	{"OTEL_BSP_EXPORT_TIMEOUT", 0, dayMillis},
	{"OTEL_BSP_MAX_QUEUE_SIZE", 1, maxQueue},
	{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, maxQueue},
}

const (
	dayMillis = 24 * 60 * 60 * 1000
	maxQueue  = 1 << 20
)

// checkSDK looks at the variables that the SDK reads by itself. It would say on standard error
// what it cannot read, or nothing, and trace in another way than was wanted.
//
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func (e environment) checkSDK(wrong func(variable, format string, args ...any)) {
	const ratioVariable = "OTEL_TRACES_SAMPLER_ARG"
	if sampler := strings.ToLower(strings.TrimSpace(e("OTEL_TRACES_SAMPLER"))); sampler != "" {
		byRatio, known := samplers[sampler]
		if !known {
			wrong("OTEL_TRACES_SAMPLER", "is %q; known are %s", sampler, strings.Join(slices.Sorted(maps.Keys(samplers)), ", "))
		}
		if arg := strings.TrimSpace(e(ratioVariable)); byRatio && arg != "" {
			if ratio, err := strconv.ParseFloat(arg, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
				wrong(ratioVariable, "is no number from 0 to 1")
			}
		}
	}
	for _, b := range batching {
		if text := e(b.variable); text != "" {
			if n, err := strconv.Atoi(text); err != nil || n < b.least || n > b.most {
				wrong(b.variable, "is no whole number from %d to %d", b.least, b.most)
			}
		}
	}
}
