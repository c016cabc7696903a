package result

// PerftestPeer describes a run whose other side was perftest.
type PerftestPeer struct {
	Version string `json:"version"`      // that the peer sends first: 6.06, ...
	Options Whose  `json:"options_from"` // whose options held: WhoseLocal or WhosePeer
	Figures Whose  `json:"figures_from"` // that measured the rows
}

// Whose names the side that something comes from, as the one that wrote the file sees it.
type Whose string

// The sides.
const (
	WhoseLocal Whose = "this side"
	WhosePeer  Whose = "the peer"
	WhoseBoth  Whose = "both sides, added" // each measured what it sent
	WhoseNone  Whose = "none"              // only the peer measured, and did not send its figures
)
