package mutants

// storeErrors breaks the handling of refused store commands.
func storeErrors() []mutant {
	return []mutant{
		broken("Redis: a click waits for the round trips of others without limit").
			in("store/redis/internal/roundtrip", "Trips.relieve", swap("crowd", "t.room")).
			fails("store/redis", "TestConcurrentClicksWithDistantRedis", "click"),
		broken("Redis: a failed notification fails the write").
			text("store/redis/scripts/swap.lua", "redis.pcall('PUBLISH'", "redis.call('PUBLISH'").
			fails("store/redis", "TestAnswerIsStoredWhenNotificationIsRefused", "missing permission"),
		broken("Redis: a swap is not undone when the index refuses it").
			text("store/redis/scripts/swap.lua", "if failed(indexed) then", "if false then").
			fails("store/redis", "TestWritesAreAtomicWhenRedisRefusesCommands/an answer without ZADD", "done: false, error"),
		broken("Redis: a user without channels starts").
			text("store/redis/scripts/rights.lua", "if ARGV[1] ~= '' then", "if false then").
			fails("store/redis", "TestStartNamesMissingPermissions", "cannot publish to"),
		broken("file: a full disk is called healthy").
			in("store/file", "Store.CheckHealth", call("room", "error(nil)")).
			fails("store/file", "TestFullDiskIsReportedUntilThereIsSpace", "health on a full disk"),
	}
}
