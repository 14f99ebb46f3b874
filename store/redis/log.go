package redis

import (
	"context"
	"fmt"
	"log/slog"

	goredis "github.com/redis/go-redis/v9"
)

// Log sends what the Redis client itself has to say to a log, at debug
// level; nil discards it. The client otherwise writes to standard error, a line
// for each failed attempt to connect, and knows one log for the whole process:
// call it before the first store is opened.
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
