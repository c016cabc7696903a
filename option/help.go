package option

import "errors"

// Help selects what --help prints.
type Help int

// The values of --help.
const (
	NoHelp    Help = iota
	ShortHelp      // the options that most runs need
	FullHelp       // all options
)

func (h Help) text() string { return [...]string{"false", "true", "all"}[h] }

// parseHelp parses the argument of --help, which is "true" without one.
func parseHelp(text string) (Help, error) {
	for _, h := range []Help{NoHelp, ShortHelp, FullHelp} {
		if h.text() == text {
			return h, nil
		}
	}
	return NoHelp, errors.New("it takes no argument except =all and =false")
}
