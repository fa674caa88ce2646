package tool

// A Key names a definition: the toolset it is for, "" for all, and its tool's name.
type Key struct{ Toolset, Name string }

// Definitions build tools from the parts that they need. A definition for one toolset goes before the one for all.
type Definitions[Parts any] map[Key]func(Parts) *Tool

// Add adds a definition; the init of its file calls it. It panics for a second one under the same key.
func (d Definitions[Parts]) Add(toolset, name string, build func(Parts) *Tool) {
	k := Key{toolset, name}
	if d[k] != nil {
		panic("tool defined twice: " + toolset + "/" + name)
	}
	d[k] = build
}

// Find returns the key of the definition that a toolset has under a name, its own before the one for all.
func (d Definitions[Parts]) Find(toolset, name string) (Key, bool) {
	for _, k := range []Key{{toolset, name}, {"", name}} {
		if d[k] != nil {
			return k, true
		}
	}
	return Key{}, false
}

// Adopt adds the definitions of another package to d; needs gives what they need of d's parts.
func Adopt[Parts, Needed any](d Definitions[Parts], others Definitions[Needed], needs func(Parts) Needed) {
	for k, build := range others {
		d.Add(k.Toolset, k.Name, func(p Parts) *Tool { return build(needs(p)) })
	}
}
