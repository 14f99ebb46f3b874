package words

// Permission contains the texts about a call that needs permission.
type Permission struct {
	// Asks introduces a call whose question says what it is.
	Asks func(agent string) string
	// These say what the agent wants to do.
	Run, Change, Plan, NoPlan, Type, Reach, Rights func(agent string) string
	Tool                                           func(agent, tool string) string
	// In names the folder.
	In func(folder string) string
}

var englishPermission = Permission{
	Asks:   func(agent string) string { return say("%s asks for permission", agent) },
	Run:    func(agent string) string { return say("%s wants to run a command", agent) },
	Change: func(agent string) string { return say("%s wants to change files", agent) },
	Plan:   func(agent string) string { return say("%s wants to carry out this plan", agent) },
	NoPlan: func(agent string) string { return say("%s wants to leave plan mode", agent) },
	Type:   func(agent string) string { return say("%s wants to type into a running program", agent) },
	Reach:  func(agent string) string { return say("%s wants to reach a host", agent) },
	Rights: func(agent string) string { return say("%s wants more permissions", agent) },
	Tool:   func(agent, tool string) string { return say("%s wants to use %s", agent, tool) },
	In:     func(folder string) string { return say("in %s", folder) },
}

var germanPermission = Permission{
	Asks:   func(agent string) string { return say("%s bittet um Erlaubnis", agent) },
	Run:    func(agent string) string { return say("%s möchte einen Befehl ausführen", agent) },
	Change: func(agent string) string { return say("%s möchte Dateien ändern", agent) },
	Plan:   func(agent string) string { return say("%s möchte diesen Plan umsetzen", agent) },
	NoPlan: func(agent string) string { return say("%s möchte den Planmodus verlassen", agent) },
	Type:   func(agent string) string { return say("%s möchte in ein laufendes Programm tippen", agent) },
	Reach:  func(agent string) string { return say("%s möchte einen Host erreichen", agent) },
	Rights: func(agent string) string { return say("%s möchte mehr Rechte", agent) },
	Tool:   func(agent, tool string) string { return say("%s möchte %s verwenden", agent, tool) },
	In:     func(folder string) string { return say("in %s", folder) },
}

var spanishPermission = Permission{
	Asks:   func(agent string) string { return say("%s pide permiso", agent) },
	Run:    func(agent string) string { return say("%s quiere ejecutar un comando", agent) },
	Change: func(agent string) string { return say("%s quiere cambiar archivos", agent) },
	Plan:   func(agent string) string { return say("%s quiere llevar a cabo este plan", agent) },
	NoPlan: func(agent string) string { return say("%s quiere salir del modo plan", agent) },
	Type:   func(agent string) string { return say("%s quiere escribir en un programa en marcha", agent) },
	Reach:  func(agent string) string { return say("%s quiere conectarse a un servidor", agent) },
	Rights: func(agent string) string { return say("%s quiere más permisos", agent) },
	Tool:   func(agent, tool string) string { return say("%s quiere usar %s", agent, tool) },
	In:     func(folder string) string { return say("en %s", folder) },
}
