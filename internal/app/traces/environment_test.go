package traces

import (
	"strings"
	"testing"
)

func env(pairs ...string) environment {
	return func(name string) string {
		for _, pair := range pairs {
			if of, value, _ := strings.Cut(pair, "="); of == name {
				return value
			}
		}
		return ""
	}
}

func TestTracesAreOffByDefault(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set []string
		on  bool
	}{
		"nothing is set":                      {nil, false},
		"an endpoint for everything":          {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4318"}, true},
		"an endpoint for traces":              {[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://otel:4318/x"}, true},
		"the exporter by its name":            {[]string{"OTEL_TRACES_EXPORTER=otlp"}, true},
		"an endpoint, but none of traces":     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4318", "OTEL_TRACES_EXPORTER=none"}, false},
		"an endpoint, and the whole disabled": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4318", "OTEL_SDK_DISABLED=true"}, false},
		"a name of the service alone":         {[]string{"OTEL_SERVICE_NAME=ask"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := New(&Options{Getenv: env(tt.set...)})
			if (got != nil) != tt.on || err != nil {
				t.Errorf("traces are %v, %v; want on: %v", got, err, tt.on)
			}
			if got != nil {
				got.Close(t.Context())
			}
		})
	}
}

func TestTracesEndpointIsUsedVerbatim(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{
		"OTEL_TRACES_EXPORTER=otlp":                                    "http://localhost:4318/v1/traces",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4318":                 "http://otel:4318/v1/traces",
		"OTEL_EXPORTER_OTLP_ENDPOINT=https://otel.example.com/base/":   "https://otel.example.com/base/v1/traces",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://otel:4318":          "http://otel:4318/",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://otel:4318/api/otlp": "http://otel:4318/api/otlp",
	} {
		s, err := env(set).read()
		if err != nil || s.endpoint.String() != want {
			t.Errorf("%s: %v, %v; want %s", set, s, err, want)
		}
	}
}

func TestInvalidVariablesAreNamed(t *testing.T) {
	t.Parallel()
	_, err := New(&Options{Getenv: env(
		"OTEL_TRACES_EXPORTER=zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_ENDPOINT=otel:4317",
		"OTEL_EXPORTER_OTLP_COMPRESSION=zstd", "OTEL_EXPORTER_OTLP_TIMEOUT=10s", "OTEL_EXPORTER_OTLP_HEADERS=Bearer hunter2",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/no/such.pem", "OTEL_TRACES_SAMPLER=sometimes", "OTEL_BSP_SCHEDULE_DELAY=5s",
	)})
	if err == nil {
		t.Fatal("invalid variables were accepted")
	}
	for _, word := range []string{"OTEL_TRACES_EXPORTER", "zipkin", "_PROTOCOL", "4318", "_ENDPOINT", "_COMPRESSION", "_TIMEOUT", "_HEADERS", "_CERTIFICATE", "/no/such.pem", "_SAMPLER", "parentbased_traceidratio", "_SCHEDULE_DELAY"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error lacks %s: %v", word, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error contains a secret: %v", err)
	}
}

// The SDK reads these variables itself: a queue of -1 crashed the program, and "sometimes" only printed a warning and
// traced everything.
func TestInvalidSDKVariableDisablesTraces(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set  []string
		want string // the warning, if the variables are invalid
	}{
		"disabled by another word":       {[]string{"OTEL_SDK_DISABLED=yes"}, `OTEL_SDK_DISABLED is "yes"; want true or false`},
		"not disabled":                   {[]string{"OTEL_SDK_DISABLED=False"}, ""},
		"a queue of less than nothing":   {[]string{"OTEL_BSP_MAX_QUEUE_SIZE=-1"}, "OTEL_BSP_MAX_QUEUE_SIZE must be an integer from 1 to"},
		"batches of less than nothing":   {[]string{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE=-1"}, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE must be"},
		"a queue for all there is":       {[]string{"OTEL_BSP_MAX_QUEUE_SIZE=9223372036854775807"}, "OTEL_BSP_MAX_QUEUE_SIZE must be"},
		"no pause between batches":       {[]string{"OTEL_BSP_SCHEDULE_DELAY=0"}, "OTEL_BSP_SCHEDULE_DELAY must be"},
		"batches that may take for ever": {[]string{"OTEL_BSP_EXPORT_TIMEOUT=0"}, ""},
		"a share in percent":             {[]string{"OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=10%"}, "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1"},
		"a share beyond all":             {[]string{"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=10"}, "OTEL_TRACES_SAMPLER_ARG must be"},
		"a share of nothing known":       {[]string{"OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=NaN"}, "OTEL_TRACES_SAMPLER_ARG must be"},
		"a share":                        {[]string{"OTEL_TRACES_SAMPLER=TraceIDRatio", "OTEL_TRACES_SAMPLER_ARG=0.1"}, ""},
		"an unused argument":             {[]string{"OTEL_TRACES_SAMPLER=always_on", "OTEL_TRACES_SAMPLER_ARG=x"}, ""},
		"a key without its certificate":  {[]string{"OTEL_EXPORTER_OTLP_CLIENT_KEY=/our.key"}, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE is required with OTEL_EXPORTER_OTLP_CLIENT_KEY"},
		"a certificate without its key":  {[]string{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=/our.pem"}, "OTEL_EXPORTER_OTLP_CLIENT_KEY is required with OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"},
		"a header with a space":          {[]string{"OTEL_EXPORTER_OTLP_HEADERS=api key=1"}, "OTEL_EXPORTER_OTLP_HEADERS must be a comma-separated list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := env(append(tt.set, "OTEL_EXPORTER_OTLP_ENDPOINT=http://otel:4318")...).read()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
