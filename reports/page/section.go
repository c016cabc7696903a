package page

import "github.com/ibperf/ibperf/reports/table"

// A Section is what a page says of one test: figures, numbers, and all that explains them.
type Section struct {
	ID        string // to link to; unique on the page
	Title     string
	Slug      string // begins the names of its figures
	Runs      []Run
	RunsTitle string   // what the lines of runs are folded below; empty: they are not
	Alerts    []string // what makes numbers wrong, unsafe or incomplete
	Warnings  []string // what is to be known of all its numbers
	Verify    string   // that checking found the data to be right
	Table     *Table   // the numbers that matter
	Tables    []*table.Table
	Notes     []string       // below the tables
	Details   []*table.Table // folded
	Settings  [][]string     // of all its runs: name and value
}

// A Run describes a run beside the numbers of its section.
type Run struct {
	Label    string
	Line     string
	Command  string
	Software string
	Facts    Facts
	Settings [][]string // name and value
}

// Facts lie side by side: a name, and a value below each head.
type Facts struct {
	Heads [2]string
	Rows  [][3]string
}

// A Table has rows of what its keys say, and columns in groups.
type Table struct {
	Keys   []Head
	Groups []Group
	Rows   []Row
	Notes  []string // marked by number, from 1
}

// A Group of columns is about one mode.
type Group struct {
	Name    string
	Mode    string // whose colour it has
	Columns []Head
}

// A Head of a column: numbers stand at the right, words at the left.
type Head struct {
	Name, Unit string
	Left       bool
}

// A Row has a cell for each column of each group.
type Row struct {
	Keys  []string
	Cells []Cell
}

// A Cell is a value, what is said of it in small, and the notes that are about it.
type Cell struct {
	Text  string
	Small string
	Marks []int
	First bool // of its group
	Left  bool // as its head
	Quiet bool // it tells nothing apart
	Bad   bool // of wrong or unsafe data
}
