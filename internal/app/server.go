package app

const (
	// mostConns is the maximum number of open connections if the system allows it: each waiting
	// HTTP/1.1 caller holds one.
	mostConns = 1 << 17
	// callbackShare is the part of the connections that an address for platforms alone may have.
	callbackShare = 16
	// ownFiles is how many open files are reserved for the store, the platforms and everything else.
	ownFiles = 512
	// fewFiles is the limit if the system reports none.
	fewFiles = 8192 + ownFiles
)

// connsWithin returns how many connections leave room for the program's own files.
func connsWithin(files uint64) int {
	own := min(ownFiles, files/2)
	return int(min(files-own, mostConns))
}
