package verbstest

import (
	"fmt"
	"slices"
)

// Row is a statement, asserted or left out.
type Row struct {
	ID      string
	Text    string // the text of an asserted statement
	LeftOut string // why the suite does not assert it, or ""
	Source  string // manual page, specification or code
	May     string // what hardware may do instead, and why that is legal, or ""
}

func (r Row) String() string {
	if r.LeftOut != "" {
		return fmt.Sprintf("%-8s left out: %s", r.ID, r.LeftOut)
	}
	return fmt.Sprintf("%-8s asserted: %s", r.ID, r.Text)
}

// topics holds the topics, each with the number of its statements.
var topics = []struct {
	topic string
	count int
}{
	{"DEV", 23}, {"PORT", 13}, {"MR", 26}, {"MW", 14}, {"TD", 2}, {"CQ", 24}, {"CHN", 18}, {"QPS", 36}, {"QRY", 14},
	{"SND", 31}, {"RCV", 12}, {"RMA", 21}, {"ORD", 8}, {"WC", 11}, {"ERR", 26}, {"DIO", 13},
	{"AEV", 9}, {"E", 28}, {"ABI", 9}, {"UD", 21}, {"MC", 17},
	{"SRQ", 18}, {"XRC", 20}, {"SRD", 14},
}

// Coverage returns a row for each statement, in the order of their numbers
// within each topic.
func Coverage() []Row {
	var rows []Row
	for _, s := range topics {
		for n := 1; n <= s.count; n++ {
			rows = append(rows, rowOf(fmt.Sprintf("%s-%d", s.topic, n)))
		}
	}
	return rows
}

func rowOf(id string) Row {
	row := Row{ID: id, LeftOut: leftOut[id], Source: sources()[id]}
	all := statements()
	if i := slices.IndexFunc(all, func(s statement) bool { return s.id == id }); i >= 0 {
		row.Text = all[i].text
	}
	if l, ok := allowances[id]; ok {
		row.May = l.does + ": " + l.source
	}
	return row
}
