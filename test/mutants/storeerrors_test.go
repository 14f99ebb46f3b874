package mutants

// storeErrors break what happens when a store refuses a command.
func storeErrors() []mutant {
	return []mutant{
		{
			name:    "Redis: a press waits for the round trips of others however long they take",
			edits:   []edit{{"store/redis/internal/roundtrip/trips.go", "len(t.waiting) > 0 && t.underway < crowd", "len(t.waiting) > 0 && t.underway < t.room"}},
			killers: []killer{{"store/redis", "TestPressesAtOnceAreStoredInTimeWithRedisFarAway", "press"}},
		},
		{
			name:    "Redis: a failed notification fails the write",
			edits:   []edit{{"store/redis/scripts/swap.lua", "redis.pcall('PUBLISH'", "redis.call('PUBLISH'"}},
			killers: []killer{{"store/redis", "TestAnAnswerIsStoredWholeWhenRedisRefusesItsNotification", "missing permission"}},
		},
		{
			name:    "Redis: a swap stays by half when the index refuses it",
			edits:   []edit{{"store/redis/scripts/swap.lua", "if failed(indexed) then", "if false then"}},
			killers: []killer{{"store/redis", "TestAWriteIsWholeOrNotAtAllWhateverRedisRefuses/an answer without ZADD", "it returns"}},
		},
		{
			name:    "Redis: a user without channels starts",
			edits:   []edit{{"store/redis/scripts/rights.lua", "if ARGV[1] ~= '' then", "if false then"}},
			killers: []killer{{"store/redis", "TestStartNamesEveryPermissionThatTheRedisUserLacks", "cannot publish to"}},
		},
		{
			name:    "file: a full disk is called healthy",
			edits:   []edit{{"store/file/health.go", "err := f.room(f.path)", "err := error(nil)"}},
			killers: []killer{{"store/file", "TestAFullDiskIsReportedUntilThereIsRoom", "with no room"}},
		},
	}
}
