package redis

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/askbridge/askbridge/store/internal/codec"
	"github.com/askbridge/askbridge/store/internal/index"
	"github.com/askbridge/askbridge/store/keyvalue"
)

// keys builds every name that a bridge uses in Redis.
//
// A record and its index share a partition, whose name is the hash tag of their keys: a script on one
// record accesses one slot of a Cluster.
type keys struct {
	prefix     string
	db         int // The number of the database.
	partitions []partition
}

// partition holds the names of one partition.
type partition struct {
	record string // Followed by the id.
	index  string

	value    string // Followed by the key.
	names    string
	expiries string
}

func newKeys(prefix string, db, partitions int) keys {
	k := keys{prefix: prefix, db: db, partitions: make([]partition, partitions)}
	for n := range k.partitions {
		tag := fmt.Sprintf("%s:{p%02d}:", prefix, n)
		k.partitions[n] = partition{record: tag + "r:", index: tag + "index", value: tag + "v:", names: tag + "values", expiries: tag + "expiries"}
	}
	return k
}

// of returns the partition number of a record. The first character of a request ID contains it, 'a' for
// the first; other IDs are hashed.
func (k keys) of(id string) int {
	if id != "" && id[0] >= 'a' && id[0] < 'a'+MaxPartitions {
		return int(id[0]-'a') % len(k.partitions)
	}
	return k.spread(id)
}

// spread hashes a text to a partition number.
func (k keys) spread(text string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return int(h.Sum32() % uint32(len(k.partitions)))
}

// group returns the partition number of the values of one kind and tenant.
func (k keys) group(kind, tenant string) int {
	return k.spread(keyvalue.Key{Kind: kind, Tenant: tenant}.String())
}

// value returns the keys for a script on one value: the value, the names in its partition, and the
// expiries.
func (k keys) value(of keyvalue.Key) []string {
	part := k.partitions[k.group(of.Kind, of.Tenant)]
	return []string{part.value + of.String(), part.names, part.expiries}
}

func (k keys) record(id string) string { return k.partitions[k.of(id)].record + id }
func (k keys) index(id string) string  { return k.partitions[k.of(id)].index }

// both returns the keys for a script on one record.
func (k keys) both(id string) []string { return []string{k.record(id), k.index(id)} }

// wake returns the channel for changes. All databases of a server share their channels, so its name
// contains the database.
func (k keys) wake() string {
	if k.db == 0 {
		return k.common()
	}
	return fmt.Sprintf("%s:wake:%d", k.prefix, k.db)
}

// common returns the channel of database 0, which older versions use with every database.
func (k keys) common() string { return k.prefix + ":wake" }

// channels returns the channels to subscribe to.
func (k keys) channels() []string {
	if k.wake() == k.common() {
		return []string{k.wake()}
	}
	return []string{k.wake(), k.common()}
}

// meta returns the key of the layout that all bridges on this Redis must share.
func (k keys) meta() string { return k.prefix + ":meta" }

// stretch is the range of scores of an index. One sorted set contains three indexes side by side, so
// that one command moves a record from one to another:
//
//	delivery due   from -2 stretches   member "l" and the id
//	ended          from -1 stretch     member "r" and the id
//	due            from 0 on           member "r" and the id
//
// Scores are exact for integers up to two stretches. One stretch of microseconds ends in the year 2112;
// due times can be later.
const stretch = codec.Micros(1) << 52

// shiftOf returns the first score of an index.
func shiftOf(i index.Kind) codec.Micros {
	switch i {
	case index.DeliveryDue:
		return -2 * stretch
	case index.Ended:
		return -stretch
	default:
		return 0
	}
}

// scoreOf returns the score of a time in an index.
func scoreOf(i index.Kind, at codec.Micros) int64 {
	at = max(at, 0)
	if i != index.Due {
		at = min(at, stretch-1)
	}
	return int64(at + shiftOf(i))
}

// spanOf returns the first score of an index and an upper bound.
func spanOf(i index.Kind) (first, behind string) {
	if i == index.Due {
		return "0", "+inf"
	}
	return strconv.FormatInt(int64(shiftOf(i)), 10), "(" + strconv.FormatInt(int64(shiftOf(i)+stretch), 10)
}

// memberOf returns the index member of a record.
func memberOf(i index.Kind, id string) string {
	if i == index.DeliveryDue {
		return "l" + id
	}
	return "r" + id
}
