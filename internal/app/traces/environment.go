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

// settings are the exporter's settings from the environment.
type settings struct {
	endpoint *url.URL
	headers  http.Header
	gzip     bool
	timeout  time.Duration
	tls      *tls.Config // Nil for the system's roots.
}

// environment reads variables.
type environment func(name string) string

// exporter returns a setting of the exporter: the one for traces, else the one for all signals.
func (e environment) exporter(name string) (variable, value string) {
	variable = "OTEL_EXPORTER_OTLP_TRACES_" + name
	if value = e(variable); value == "" {
		variable = "OTEL_EXPORTER_OTLP_" + name
		value = e(variable)
	}
	return variable, value
}

// on reports whether tracing is enabled.
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

// read returns the settings, or all problems with them.
func (e environment) read() (*settings, error) {
	s := &settings{timeout: defaultTimeout, headers: http.Header{}}
	var problems []error
	wrong := func(variable, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s %s", variable, fmt.Sprintf(format, args...)))
	}
	if off := e("OTEL_SDK_DISABLED"); off != "" && !strings.EqualFold(off, "false") {
		wrong("OTEL_SDK_DISABLED", "is %q; want true or false", off)
	}
	if to := e("OTEL_TRACES_EXPORTER"); to != "" && to != "otlp" {
		wrong("OTEL_TRACES_EXPORTER", "is %q; want otlp or none", to)
	}
	if name, p := e.exporter("PROTOCOL"); p != "" && p != "http/protobuf" {
		wrong(name, "is %q; want http/protobuf, which collectors accept on port 4318", p)
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
		wrong(name, "is %q; want gzip or none", how)
	}
	if name, ms := e.exporter("TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			wrong(name, "must be a positive number of milliseconds")
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
			wrong(name, "must be a comma-separated list of name=value") // It may contain a secret.
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

// endpoint is where spans are sent. A traces endpoint is used unchanged.
func (e environment) endpoint() (*url.URL, error) {
	name, address := e.exporter("ENDPOINT")
	if address == "" {
		address = defaultEndpoint
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s must be an address such as %s", name, defaultEndpoint)
	case name == "OTEL_EXPORTER_OTLP_ENDPOINT":
		return u.JoinPath(tracesPath), nil
	case u.Path == "":
		u.Path = "/"
	}
	return u, nil
}

// tls returns the trusted roots and the client certificate.
func (e environment) tls() (*tls.Config, error) {
	name, certificate := e.exporter("CERTIFICATE")
	ownName, own := e.exporter("CLIENT_CERTIFICATE")
	keyName, key := e.exporter("CLIENT_KEY")
	if certificate == "" && own == "" && key == "" {
		return nil, nil //nolint:nilnil // The system's roots.
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if certificate != "" {
		pem, err := os.ReadFile(certificate)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s contains no certificate", name, certificate)
		}
	}
	switch {
	case own == "" && key == "":
		return c, nil
	case own == "":
		return nil, fmt.Errorf("%s is required with %s", ownName, keyName)
	case key == "":
		return nil, fmt.Errorf("%s is required with %s", keyName, ownName)
	}
	pair, err := tls.LoadX509KeyPair(own, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", ownName, keyName, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// samplers are those of the SDK, and whether they take a ratio.
var samplers = map[string]bool{
	"always_on": false, "always_off": false, "traceidratio": true,
	"parentbased_always_on": false, "parentbased_always_off": false, "parentbased_traceidratio": true,
}

// batching are the limits of batch settings: the SDK panics with a negative queue size, and without a
// delay it polls continuously.
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

// checkSDK checks the variables that the SDK reads. It would report invalid ones on standard error, or
// ignore them and trace differently.
//
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func (e environment) checkSDK(wrong func(variable, format string, args ...any)) {
	const ratioVariable = "OTEL_TRACES_SAMPLER_ARG"
	if sampler := strings.ToLower(strings.TrimSpace(e("OTEL_TRACES_SAMPLER"))); sampler != "" {
		byRatio, known := samplers[sampler]
		if !known {
			wrong("OTEL_TRACES_SAMPLER", "is %q; want one of %s", sampler, strings.Join(slices.Sorted(maps.Keys(samplers)), ", "))
		}
		if arg := strings.TrimSpace(e(ratioVariable)); byRatio && arg != "" {
			if ratio, err := strconv.ParseFloat(arg, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
				wrong(ratioVariable, "must be a number from 0 to 1")
			}
		}
	}
	for _, b := range batching {
		if text := e(b.variable); text != "" {
			if n, err := strconv.Atoi(text); err != nil || n < b.least || n > b.most {
				wrong(b.variable, "must be an integer from %d to %d", b.least, b.most)
			}
		}
	}
}
