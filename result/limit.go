package result

// Limit is a limit of one side's options, which every row must meet.
type Limit struct {
	Option  string  `json:"option" about:"as the command line has it"`
	Field   string  `json:"field" about:"path of the figure from the row; busy is that of the side that waits for messages, of two such sides the busier one"`
	Minimum float64 `json:"minimum,omitempty" about:"in the unit of the field; absent: none"`
	Maximum float64 `json:"maximum,omitempty" about:"in the unit of the field; absent: none"`
	Missed  int     `json:"missed_rows" about:"number of rows that missed the limit or lack the figure"`
}
