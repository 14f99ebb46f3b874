package store

import (
	"fmt"
	"hash/fnv"
)

// keys knows every name that a bridge uses in Redis, and nobody else does.
//
// Records and the indexes that list them share a partition, whose name is the
// keys' hash tag: a script on one record touches one slot of a Cluster.
type keys struct {
	prefix     string
	partitions []partition
}

// partition holds the names of one partition.
type partition struct {
	record  string // Followed by the id.
	indexes [indexes]string
}

// indexNames are the last parts of the indexes' keys.
var indexNames = [indexes]string{due: "due", lagging: "lagging", ended: "ended"}

func newKeys(prefix string, partitions int) keys {
	k := keys{prefix: prefix, partitions: make([]partition, partitions)}
	for n := range k.partitions {
		tag := fmt.Sprintf("%s:{p%02d}:", prefix, n)
		k.partitions[n].record = tag + "r:"
		for i, name := range indexNames {
			k.partitions[n].indexes[i] = tag + name
		}
	}
	return k
}

// of returns the number of an id's partition. Requests carry it in the first
// character of their id, 'a' for the first; any other id has one all the same.
func (k keys) of(id string) int {
	if id != "" && id[0] >= 'a' && id[0] < 'a'+MaxPartitions {
		return int(id[0]-'a') % len(k.partitions)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int(h.Sum32() % uint32(len(k.partitions)))
}

func (k keys) record(id string) string { return k.partitions[k.of(id)].record + id }

// swap returns the keys of the swap script.
func (k keys) swap(id string) []string {
	p := k.partitions[k.of(id)]
	return []string{p.record + id, p.indexes[due], p.indexes[lagging], p.indexes[ended]}
}

// wake is the channel on which ids of changed records are published.
func (k keys) wake() string { return k.prefix + ":wake" }

// meta holds the layout that all bridges on this Redis must share.
func (k keys) meta() string { return k.prefix + ":meta" }
