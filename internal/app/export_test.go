package app

// CallSettings is callSettings, for tests.
var CallSettings = callSettings

// Reloading reports whether a reload is running.
func (a *App) Reloading() bool {
	if !a.reload.TryLock() {
		return true
	}
	a.reload.Unlock()
	return false
}
