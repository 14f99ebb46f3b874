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
	// Version is that of the program.
	Version string
	// Logger hears when the collector is away, and when it is back.
	Logger *slog.Logger
	// Getenv reads the variables of the exporter; nil means the process's own. The SDK
	// reads those of the sampler, of batches and of the resource itself.
	Getenv func(string) string
}

// Traces is a [bridge.Observer] that tells a collector.
type Traces struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	sender   *sender
}

var _ bridge.Observer = (*Traces)(nil)

// New returns what traces, as the standard variables have it, and nil where they want
// nothing: with none of them set, and with OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none.
// It starts a goroutine that [Traces.Close] ends. Its error names every variable that it
// cannot go by.
//
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func New(o *Options) (*Traces, error) {
	env := environment(os.Getenv)
	if o.Getenv != nil {
		env = o.Getenv
	}
	if !env.on() {
		return nil, nil //nolint:nilnil // Nobody wants any.
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

// Close sends what is left, as far as the collector takes it within two seconds, and
// ends the goroutine.
func (t *Traces) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), flushTime, errors.New("the collector did not take the rest in time"))
	defer cancel()
	// What is under way is cut off then.
	defer context.AfterFunc(ctx, t.sender.stop)()
	_ = t.provider.Shutdown(ctx) // The sender has logged what it could not send.
	t.sender.stop()
}
