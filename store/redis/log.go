package redis

import (
	"context"
	"fmt"
	"log/slog"

	goredis "github.com/redis/go-redis/v9"
)

// Log sends the log of the Redis client to a logger, at debug level; nil discards it. By default the
// client writes a line to standard error for each failed attempt to connect. The setting is
// process-wide: call it before opening the first store.
func Log(log *slog.Logger) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	goredis.SetLogger(clientLog{log})
}

type clientLog struct{ log *slog.Logger }

func (l clientLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, "redis client", "detail", fmt.Sprintf(format, v...))
}
