package mutants

// sealing breaks the promises of an encrypted store.
func sealing() []mutant {
	return []mutant{
		broken("encryption: cleartext is accepted without the line plain").
			in("store/internal/codec", "Form.Decode", arg("Check", 0, "ring.First()")).
			fails("store/internal/codec", "TestDecodeNeedsTheKey", "decode: <nil>"),
		broken("encryption: a sealed record opens under any id").
			in("store/internal/codec", "Form.record", omit("ID")).
			fails("store/internal/codec", "TestSealedDataIsBoundToItsKey", "under another id"),
		broken("encryption: the tenant of a sealed record can be changed").
			in("store/seal", "Ring.Seal", arg("Seal", 3, "nil")).
			in("store/seal", "Ring.Open", arg("Open", 3, "nil")).
			fails("store/internal/codec", "TestSealedDataIsBoundToItsKey", "with another tenant"),
		broken("encryption: a build without keys takes a sealed record for an empty one").
			in("store/internal/codec", "Form.Decode", when("$ || ring == nil", "Sealed")).
			fails("store/internal/codec", "TestDecodeNeedsTheKey", "decode: <nil>"),
		broken("encryption: values other than requests stay in cleartext in Redis").
			in("store/redis", "values.put", call("SealValue", "value, error(nil)")).
			fails("store/redis", "TestSealedRedisHasNoReadableText", "contains readable text"),
		broken("encryption: a store is opened without the key that it takes").
			in("store", "keysInUse", swap("err != nil", "err != nil && key == seal.Plain", "Check")).
			fails("store", "TestChangeKey", "open: <nil>"),
		broken("encryption: a key is dropped while still in use").
			in("store", "Reseal", swap("==", ">=", "Written")).
			fails("store", "TestResealDetectsOtherWriters", "passes: <nil>"),
		broken("encryption: a backup of a sealed store is in clear").
			in("store", "Backup", call("formOf", "codec.Form{}")).
			fails("store", "TestBackupIsSealedLikeItsStore", "backup contains"),
		broken("erasure: text typed into a vote is still counted by its words").
			in("bridge/record", "eraser.outcome", never("Other")).
			fails("bridge/record", "TestEraseRemovesTypedText", `"dana" is there`),
		broken("erasure: a dry run erases").
			in("store", "Erasure.erase", never("DryRun")).
			fails("store", "TestEraseResumesAfterInterruption", "interrupted"),
		broken("erasure: a share goes on from the beginning").
			in("internal/app", "Eraser.requests", drop("at.Behind =")).
			fails("internal/app", "TestErasePersonFromEveryStore", "erasure did not finish"),
		broken("erasure: overwritten data stays in the free part of an open file").
			in("internal/app", "Eraser.free", drop("Wipe")).
			fails("internal/app", "TestErasePersonFromEveryStore", "store file contains an erased text"),
		broken("audit: an exporter that slept takes the head of a chain back").
			in("internal/app/audit", "Log.save", never("was.N", "h.N")).
			fails("internal/app/audit", "TestExporterPausedBeyondRetentionForksNoChain", "the head of"),
		broken("Redis: a bridge that was alone stops listening silently").
			in("store/redis", "Store.listen", call("stopListening", "r.notifier.alone.Store(false)")).
			fails("store/redis", "TestRedisEndingWatcherNotifiesOthers", "no empty notification"),
		broken("Redis: a failed greeting is not repeated").
			in("store/redis", "Store.listen", after("err = nil", "announce")).
			fails("store/redis", "TestRedisRepeatsFailedGreeting", "the first to find the second"),
		broken("metrics: a token holder chooses the number of series").
			in("internal/app/metrics", "Metrics.Known", never("maxMet")).
			fails("internal/app/metrics", "TestAgentsWithStoredTokensAreLabeled", "made-100 is counted as made-100"),
	}
}
