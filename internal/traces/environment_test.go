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

func TestTracesAreOffUnlessAVariableWantsThem(t *testing.T) {
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

func TestAnEndpointForTracesIsTakenAsItIs(t *testing.T) {
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

func TestEveryVariableThatIsWrongIsNamed(t *testing.T) {
	t.Parallel()
	_, err := New(&Options{Getenv: env(
		"OTEL_TRACES_EXPORTER=zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_ENDPOINT=otel:4317",
		"OTEL_EXPORTER_OTLP_COMPRESSION=zstd", "OTEL_EXPORTER_OTLP_TIMEOUT=10s", "OTEL_EXPORTER_OTLP_HEADERS=Bearer hunter2",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/no/such.pem",
	)})
	if err == nil {
		t.Fatal("nothing is wrong with it")
	}
	for _, word := range []string{"OTEL_TRACES_EXPORTER", "zipkin", "_PROTOCOL", "4318", "_ENDPOINT", "_COMPRESSION", "_TIMEOUT", "_HEADERS", "/no/such.pem"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("it does not say %s: %v", word, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("it tells a secret: %v", err)
	}
}
