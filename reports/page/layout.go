package page

import "github.com/ibperf/ibperf/reports/table"

// A Section is the part of a page about one test: figures, tables and explanations.
type Section struct {
	ID        string // to link to; unique on the page
	Title     string
	Slug      string // prefix of the names of its figures
	Runs      []Run
	RunsTitle string   // title that the runs are folded under; empty: not folded
	Repeat    Command  // of its first run
	Summary   []string // conclusions from its numbers
	Alerts    []string // reasons why numbers are wrong, unsafe or incomplete
	Warnings  []string // about all its numbers
	Verify    string   // result of the data check, if no message was corrupted
	Table     *Table   // the main numbers
	Tables    []*table.Table
	Notes     []string       // below the tables
	Details   []*table.Table // folded
	Settings  [][]string     // common to all its runs: name and value
}

// A Run describes a run of a section.
type Run struct {
	Label    string
	Line     string
	Command  string // that was given
	Repeat   Command
	Software string
	Facts    Facts
	Settings [][]string // name and value
}

// Facts is a table of two columns: a name, and a value below each head.
type Facts struct {
	Heads [2]string
	Rows  [][3]string
}

// A Table has key columns and groups of columns.
type Table struct {
	Keys   []Head
	Groups []Group
	Rows   []Row
	Notes  []string // footnotes, which cells refer to by number, from 1
}

// A Group is the columns of one mode.
type Group struct {
	Name    string
	Mode    string // gives the color
	Columns []Head
}

// A Head is the head of a column: numbers are aligned right, words left.
type Head struct {
	Name, Unit string
	Left       bool
}

// A Row has a cell for each column of each group.
type Row struct {
	Keys  []string
	Cells []Cell
}

// A Cell is a value with a remark in small print and references to footnotes.
type Cell struct {
	Text  string
	Small string
	Marks []int
	First bool // of its group
	Left  bool // aligned left, like its head
	Quiet bool // grayed out: it shows no difference
	Bad   bool // from corrupted or unsafe data
}
