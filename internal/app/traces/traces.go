package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/askbridge/askbridge/bridge"
)

// flushTime is how long a shutdown waits for the collector.
const flushTime = 2 * time.Second

// Options of [New].
type Options struct {
	// Version of the program.
	Version string
	// Logger receives when the collector becomes unavailable and available.
	Logger *slog.Logger
	// Getenv reads the variables of the exporter; nil uses the process's environment. The SDK itself
	// reads those of the sampler, batches and resource.
	Getenv func(string) string
}

// Traces is a [bridge.Observer] that exports to a collector.
type Traces struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	sender   *sender
}

var _ bridge.Observer = (*Traces)(nil)

// New returns the tracing that the standard variables configure. It returns nil without any of them,
// and with OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none. It starts a goroutine that [Traces.Close]
// ends. The error names all invalid variables.
//
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func New(o *Options) (*Traces, error) {
	env := environment(os.Getenv)
	if o.Getenv != nil {
		env = o.Getenv
	}
	if !env.on() {
		return nil, nil //nolint:nilnil // Disabled.
	}
	s, err := env.read()
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(context.Background(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "askbridge"), attribute.String("service.version", o.Version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	to := newSender(s, "askbridge/"+o.Version, log)
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(otlptrace.NewUnstarted(to)), sdk.WithIDGenerator(generator{}), sdk.WithResource(about))
	log.Info("requests are traced", "collector", s.endpoint.Host)
	return &Traces{provider.Tracer("github.com/askbridge/askbridge"), provider, to}, nil
}

// Close sends the remaining spans for up to two seconds and ends the goroutine.
func (t *Traces) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), flushTime, errors.New("the collector did not take the rest in time"))
	defer cancel()
	// Then uploads in progress end.
	defer context.AfterFunc(ctx, t.sender.stop)()
	_ = t.provider.Shutdown(ctx) // The sender has logged failures.
	t.sender.stop()
}
