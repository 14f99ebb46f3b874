package mutants

// sealing breaks what is promised of a store that is encrypted.
func sealing() []mutant {
	return []mutant{
		{
			name:    "encryption: what stands in clear is believed without the line plain",
			edits:   []edit{{"store/internal/codec/sealed.go", "		if err := ring.Check(seal.Plain); err != nil {", "		if err := ring.Check(ring.First()); err != nil {"}},
			killers: []killer{{"store/internal/codec", "TestAFormIsReadWithItsKeys", "read, with <nil>"}},
		},
		{
			name:    "encryption: a sealed record opens under any id",
			edits:   []edit{{"store/internal/codec/sealed.go", `Kind: "record", Place: f.Place, ID: id, Beside`, `Kind: "record", Place: f.Place, Beside`}},
			killers: []killer{{"store/internal/codec", "TestASealedRecordIsNotTakenForAnother", "under another id"}},
		},
		{
			name:    "encryption: the tenant beside a sealed record can be changed",
			edits:   []edit{{"store/seal/seal.go", "box.Seal(to, nil, data, []byte(w.Beside))", "box.Seal(to, nil, data, nil)"}, {"store/seal/seal.go", "box.Open(nil, nil, sealed, []byte(w.Beside))", "box.Open(nil, nil, sealed, nil)"}},
			killers: []killer{{"store/internal/codec", "TestASealedRecordIsNotTakenForAnother", "with another tenant"}},
		},
		{
			name:    "encryption: a build without keys takes a sealed record for an empty one",
			edits:   []edit{{"store/internal/codec/sealed.go", "	if s.Sealed == nil {\n		if err := ring", "	if s.Sealed == nil || ring == nil {\n		if err := ring"}},
			killers: []killer{{"store/internal/codec", "TestAFormIsReadWithItsKeys", "read, with <nil>"}},
		},
		{
			name:    "encryption: the values beside the requests stay in clear in Redis",
			edits:   []edit{{"store/redis/values.go", "	data, err := v.r.form.SealValue(k, value)", "	data, err := value, error(nil)"}},
			killers: []killer{{"store/redis", "TestNothingReadableIsKeptOrPublished", "holds it"}},
		},
		{
			name:    "encryption: a store is opened without the key that it takes",
			edits:   []edit{{"store/keys.go", "		if err := ring.Check(key); err != nil {\n			return nil", "		if err := ring.Check(key); err != nil && key == seal.Plain {\n			return nil"}},
			killers: []killer{{"store", "TestAKeyIsChanged", "opened, with <nil>"}},
		},
		{
			name:    "encryption: a key is given up while somebody writes with it",
			edits:   []edit{{"store/reseal.go", "		if n.Written == before {", "		if n.Written >= before {"}},
			killers: []killer{{"store", "TestOthersThatWriteWithTheOldKeyAreNoticed", "looks: <nil>"}},
		},
		{
			name:    "encryption: a backup of a sealed store is in clear",
			edits:   []edit{{"store/backup.go", "	form := formOf(from)\n", "	form := codec.Form{}\n"}},
			killers: []killer{{"store", "TestABackupIsSealedAsItsStoreIs", "the backup says"}},
		},
		{
			name:    "erasure: what somebody typed into a vote is still counted by its words",
			edits:   []edit{{"bridge/record/erase.go", `if e == "" || typed[c.Other] {`, `if e == "" {`}},
			killers: []killer{{"bridge/record", "TestWhatSomebodyWroteIsErased", `"dana" is there`}},
		},
		{
			name:    "erasure: a dry run erases",
			edits:   []edit{{"store/erase.go", "err != nil || e.DryRun {", "err != nil || e.DryRun && r.Open() {"}},
			killers: []killer{{"store", "TestAnErasureIsInterruptedAndGoesOn", "interrupted"}},
		},
		{
			name:    "erasure: a share goes on from the beginning",
			edits:   []edit{{"internal/app/erase.go", "	at.Behind = next\n", ""}},
			killers: []killer{{"internal/app", "TestWhatAPersonWroteIsErasedFromEveryStore", "shares and no end"}},
		},
		{
			name:    "erasure: what was written over stands in the free part of an open file",
			edits:   []edit{{"internal/app/erase.go", "	at.Page, err = s.Wipe(at.Page)\n", "	_ = s\n"}},
			killers: []killer{{"internal/app", "TestWhatAPersonWroteIsErasedFromEveryStore", "the open file has what was to go"}},
		},
		{
			name:    "audit: an exporter that slept takes the head of a chain back",
			edits:   []edit{{"internal/audit/log.go", "err == nil && was.N > h.N {", "err == nil && was.N > h.N+1e9 {"}},
			killers: []killer{{"internal/audit", "TestAnExporterThatWasPausedForLongerThanTheTrailIsKeptForksNoChain", "the head of"}},
		},
		{
			name:    "redis: who was alone and stops listening tells nobody",
			edits:   []edit{{"store/redis/peers.go", "	defer r.part(ctx)\n", "	defer r.peers.alone.Store(false)\n"}},
			killers: []killer{{"store/redis", "TestRedisWhatWasToldAloneIsMissedByNobodyWhenTheWatcherEnds", "nobody was told"}},
		},
		{
			name:    "redis: a greeting that failed is not sent again",
			edits:   []edit{{"store/redis/peers.go", "			err := r.announce(ctx)\n", "			err := error(nil)\n			_ = r.announce(ctx)\n"}},
			killers: []killer{{"store/redis", "TestRedisANewcomerWhoseGreetingFailedGreetsAgain", "the first to know of the second"}},
		},
		{
			name:    "metrics: whoever has a token chooses how many series there are",
			edits:   []edit{{"internal/metrics/metrics.go", "met || m.metN == maxMet || ", "met || "}},
			killers: []killer{{"internal/metrics", "TestAnAgentWithAMadeTokenIsCountedByName", "made-100 is counted as made-100"}},
		},
	}
}
