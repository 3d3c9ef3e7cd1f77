package watcher

import "time"

// settling is how long a file must not have changed before it counts as complete, where
// the system does not tell who writes to it.
const settling = 2 * time.Second
