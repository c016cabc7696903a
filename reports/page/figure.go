package page

// Figure is one plot on disk, as picture and as vector drawing.
type Figure struct {
	Name  string // file name without folder and ending
	Title string // what the plot shows, in a line
	PNG   string // path
	SVG   string // path

	Detail bool // it is for a closer look: a page may fold it
}
