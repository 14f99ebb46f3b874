package store

import "time"

// DefaultRetention is how long a store keeps a record after its end.
const DefaultRetention = 7 * 24 * time.Hour
