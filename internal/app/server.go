package app

const (
	// mostConns is how many connections are open at once where the system allows
	// as many: parked callers over HTTP/1.1 hold one each.
	mostConns = 1 << 17
	// callbackShare is which part of the connections an address for platforms
	// alone may have open.
	callbackShare = 16
	// ownFiles is how many of the files that the process may open are kept for
	// the store, the platforms and everything else.
	ownFiles = 512
	// fewFiles is taken as the limit where the system does not tell one.
	fewFiles = 8192 + ownFiles
)

// connsWithin returns how many connections leave room for the program's own
// files.
func connsWithin(files uint64) int {
	own := min(ownFiles, files/2)
	return int(min(files-own, mostConns))
}
