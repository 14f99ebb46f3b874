package render

// Prose is what an agent's text is parted into.
var Prose = prose
