package app

// CallSettings is callSettings, for tests.
var CallSettings = callSettings
