package mutants

// audits breaks the promises to auditors.
func audits() []mutant {
	return []mutant{
		broken("audit: one tenant whose name no chain can have stops the trail of all").
			in("internal/app/audit", "Exporter.writeChain", swap("err != nil", `err != nil && tenant == ""`, "Validate")).
			fails("internal/app/audit", "TestInvalidTenantDoesNotBlockOthers", "audit: write 1 lines of"),
		broken("audit: a refused press leaves no event").
			in("bridge/record", "Record.Judge", always("traced")).
			fails("bridge", "TestAuditTrailListsChanges", `trail "asked posted answered"`),
		broken("audit: a replica without it decides and leaves no event").
			in("bridge/record", "Audited", when("!begin", "Trail", "begin")).
			fails("bridge/record", "TestNoAuditNoTrail", "the trail is"),
		broken("audit: a build without it may write the record").
			in("store/internal/codec", "formatOf", never("Trail")).
			fails("store/internal/codec", "TestFormat/trail", "want prefix"),
		broken("audit: the later of two exporters writes over the batch of the first").
			in("internal/app/audit", "Log.put", omit("Absent")).
			fails("internal/app/audit", "TestTwoExportersDoNotForkTheChain", "want a conflict"),
		broken("audit: a moment is settled of which lines hold what is newer").
			in("internal/app/audit", "Exporter.scan", call("UnixMicro", "began.at.Add(24*time.Hour).UnixMicro()")).
			fails("internal/app/audit", "TestClockGoingBackSettlesNothingNewer", "asked asked asked asked"),
		broken("audit: the exporter takes what was written here for the newest").
			in("internal/app/audit", "Exporter.changes", when("c.wrote == 0", "heard")).
			fails("internal/app/audit", "TestExporterLearnsOfChanges", "the trail has"),
		broken("audit: an exporter that could read a part of what was written goes on as if it were all").
			in("internal/app/audit", "Exporter.export", set("heads", "x.heads")).
			fails("internal/app/audit", "TestFailingStoreCausesNoDuplicateLines", "2 lines of"),
		broken("audit: a trail is put next to another one").
			in("internal/app/audit", "Log.Joins", always("Equal")).
			fails("internal/app/audit", "TestJoins/into one that has begun its own", "got <nil>"),
		broken("audit: a trail is put next to another one of later lines").
			in("internal/app/audit", "Log.Joins", never("joined", "tenant")).
			fails("internal/app/audit", "TestJoins/into one whose own is older than what it keeps", "got <nil>"),
		broken("audit: a backup is restored whatever trail is there").
			in("cmd/askbridge", "joins", within("Joins", never("err"))).
			fails("cmd/askbridge", "TestRestoreRefusesSecondTrail", "exit code 0: 0 requests"),
		broken("audit: the hash of a line is not checked").
			in("internal/app/audit", "verifier.readLine", never("hash", "whole")).
			fails("internal/app/audit", "TestVerifyFindsAnyChangedByte", "change is not detected"),
		broken("audit: a line that was inserted twice is accepted").
			in("internal/app/audit", "verifier.endBatch", dropCase("again", "repeated")).
			fails("internal/app/audit", "TestVerifyReportsInsertedLine", "again as line"),
		broken("audit: an erased text is still there").
			in("internal/app/audit", "Log.eraseBatch", within("selected", drop("continue"))).
			fails("internal/app/audit", "TestErase", "after the erasure the trail is"),
		broken("audit: an erased text is still in the free part of a file").
			in("internal/app", "OpenAudit", never("Load")).
			fails("cmd/askbridge", "TestEraseOffline", "the file still has the text"),
		broken("audit: a token is made that the trail does not know of").
			in("api", "Audited", set("err", "error(nil)", "Note")).
			fails("cmd/askbridge", "TestAuditCommands", "trail remains incomplete"),
		broken("audit: every reload is the operator's").
			in("api", "reloadConfig", arg("Reload", 0, `"operator"`)).
			fails("cmd/askbridge", "TestAuditNamesWhoReloaded", "trail has map[carol:operator dave:operator]"),
		broken("a reload reads the file before it is its turn").
			in("internal/app", "App.Reload", call("read", "early, failed")).
			in("internal/app", "App.Reload", before("early, failed := read()", "Lock")).
			fails("internal/app", "TestConcurrentReloadsApplyLatestFile", "file is read while another reload runs"),
		broken("a compacted file belongs to the user who compacted it").
			in("store/file", "copyInto", omit("likeThat")).
			fails("store/file", "TestCompactByRootKeepsOwner", "owner is"),
	}
}
