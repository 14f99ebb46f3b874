package mutants

// audits break what auditors are promised.
func audits() []mutant {
	return []mutant{
		{
			name:    "audit: one tenant whose name no chain can have stops the trail of all",
			edits:   []edit{{"internal/audit/collect.go", "err := batchKey(tenant, 0).Validate(); err != nil {", "err := batchKey(tenant, 0).Validate(); err != nil && tenant == \"\" {"}},
			killers: []killer{{"internal/audit", "TestATenantThatNoChainCanHaveKeepsNobodyElseOut", "audit: write 1 lines of"}},
		},
		{
			name:    "audit: a refused press leaves no event",
			edits:   []edit{{"bridge/record/judge.go", "	if !changed && !adopted && !traced {", "	if !changed && !adopted && (traced || true) {"}},
			killers: []killer{{"bridge", "TestAnAuditedRequestTellsWhatWasDoneToIt", `the trail says "asked posted answered"`}},
		},
		{
			name:    "audit: a replica without it decides and leaves no event",
			edits:   []edit{{"bridge/record/trail.go", "		if r.Trail == nil && !begin {", "		if !begin {"}},
			killers: []killer{{"bridge/record", "TestWithoutAnAuditARecordStaysAsItWas", "the trail is"}},
		},
		{
			name:    "audit: a build without it may write the record",
			edits:   []edit{{"store/internal/codec/codec.go", "	case r.Schedule != nil, r.Trail != nil:", "	case r.Schedule != nil:"}},
			killers: []killer{{"store/internal/codec", "TestAnOlderBuildRefusesARecordWithATrail", "stored as"}},
		},
		{
			name:    "audit: the later of two exporters writes over the batch of the first",
			edits:   []edit{{"internal/audit/log.go", "lines.Bytes(), &keyvalue.PutOptions{TTL: l.keep, If: keyvalue.Absent})", "lines.Bytes(), &keyvalue.PutOptions{TTL: l.keep})"}},
			killers: []killer{{"internal/audit", "TestTwoExportersDoNotForkTheChain", "want a conflict"}},
		},
		{
			name: "audit: an exporter that was paused goes on behind the first lines of another one",
			edits: []edit{{"internal/audit/collect.go", "		h = &stored{Head: Head{Tenant: tenant}}\n", `		h = &stored{Head: Head{Tenant: tenant}}
		all, _ := x.log.heads(ctx)
		for n := range all {
			if all[n].Tenant == tenant {
				h = &all[n]
			}
		}
`}},
			killers: []killer{{"internal/audit", "TestAnExporterThatWasPausedAnywhereWritesNoLineTwice", "2 lines of p1, event 1"}},
		},
		{
			name:    "audit: a moment is settled of which lines hold what is newer",
			edits:   []edit{{"internal/audit/collect.go", "last.at > began.at.UnixMicro()", "last.at > began.at.Add(24*time.Hour).UnixMicro()"}},
			killers: []killer{{"internal/audit", "TestAClockThatWentBackSettlesNothingThatIsNewer", "asked asked asked asked"}},
		},
		{
			name:    "audit: the exporter takes what was written here for the newest",
			edits:   []edit{{"internal/audit/collect.go", "c.wrote < c.heard", "c.wrote == 0"}},
			killers: []killer{{"internal/audit", "TestTheExporterHearsFromItsBridge", "the trail has"}},
		},
		{
			name:    "audit: an exporter that could read a part of what was written goes on as if it were all",
			edits:   []edit{{"internal/audit/exporter.go", "			x.heads = nil // The rest of what was written may be what was not read.\n", ""}},
			killers: []killer{{"internal/audit", "TestAnExporterWhoseStoreFailsAnywhereWritesNoLineTwice", "2 lines of"}},
		},
		{
			name:    "audit: a trail is put beside another one",
			edits:   []edit{{"internal/audit/joining.go", "case bytes.Equal(there.Value, e.Value):", "case bytes.Equal(there.Value, e.Value) || true:"}},
			killers: []killer{{"internal/audit", "TestATrailJoinsNoOther/into one that has begun its own", "it says <nil>"}},
		},
		{
			name:    "audit: a trail is put beside another one of later lines",
			edits:   []edit{{"internal/audit/joining.go", "case begun[tenant] && !shared[tenant]:", "case begun[tenant] && !shared[tenant] && false:"}},
			killers: []killer{{"internal/audit", "TestATrailJoinsNoOther/into one whose own is older than what it keeps", "it says <nil>"}},
		},
		{
			name:    "audit: a backup is restored whatever trail is there",
			edits:   []edit{{"cmd/askbridge/backup.go", "store.SavedValues(backup, to, audit.Batch)); err != nil {", "store.SavedValues(backup, to, audit.Batch)); err != nil && false {"}},
			killers: []killer{{"cmd/askbridge", "TestTwoTrailsDoNotBecomeOne", "exit code 0: 0 requests"}},
		},
		{
			name:    "audit: nobody looks whether a line has its hash",
			edits:   []edit{{"internal/audit/verify.go", "	if hash(whole) != sum {", "	if len(sum) == 0 {"}},
			killers: []killer{{"internal/audit", "TestAnyByteThatWasChangedIsFound", "nobody notices"}},
		},
		{
			name:    "audit: a line that was inserted twice is accepted",
			edits:   []edit{{"internal/audit/batches.go", "	default:\n		return false\n", "	default:\n"}},
			killers: []killer{{"internal/audit", "TestVerifyNamesALineThatWasInsertedTwice", "again as line"}},
		},
		{
			name:    "audit: an erased text is still there",
			edits:   []edit{{"internal/audit/erase.go", "found[t.Text.N] {\n				gone++\n				continue", "found[t.Text.N] {\n				gone++"}},
			killers: []killer{{"internal/audit", "TestWhatPeopleWroteCanBeErased", "after the erasure the trail says"}},
		},
		{
			name:    "audit: an erased text is still in the free part of a file",
			edits:   []edit{{"internal/app/audit.go", "			if a.erased.Load() {", "			if false {"}},
			killers: []killer{{"cmd/askbridge", "TestWhatAPersonWroteIsErasedFromTheStore", "the file still has it there"}},
		},
		{
			name:    "audit: a token is made that the trail does not know of",
			edits:   []edit{{"api/audit.go", "	if err := trail.Note(ctx, kind, by, detail); err != nil {", "	if err := error(nil); err != nil {"}},
			killers: []killer{{"cmd/askbridge", "TestAnAuditorReadsChecksAndErasesTheTrail", "the trail never tells all of it"}},
		},
		{
			name:    "audit: every reload is the operator's",
			edits:   []edit{{"api/reload.go", "opts.Reload(x.caller())", `opts.Reload("operator")`}},
			killers: []killer{{"cmd/askbridge", "TestTheTrailNamesWhoHadTheConfigurationReadAgain", "the trail says map[carol:operator dave:operator]"}},
		},
		{
			name:    "a reload reads the file before it is its turn",
			edits:   []edit{{"internal/app/reload.go", "	a.reload.Lock()\n	defer a.reload.Unlock()\n	next, err := read()\n", "	next, err := read()\n	a.reload.Lock()\n	defer a.reload.Unlock()\n"}},
			killers: []killer{{"internal/app", "TestOfTwoReloadsAtOnceTheFileThatWasReadLastHolds", "it is read while another reload may be under way"}},
		},
		{
			name:    "a compacted file belongs to whom compacted it",
			edits:   []edit{{"store/file/open.go", "to.Close(), likeThat(path, db.Path()))", "to.Close())"}},
			killers: []killer{{"store/file", "TestTheServiceOpensItsFileAfterRootHasCompactedIt", "it belongs to"}},
		},
	}
}
