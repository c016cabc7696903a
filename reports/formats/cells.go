package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// A cell is a name and a value in words.
type cell struct{ name, text string }

// parameters returns every option of a plan, as the member of "parameters" in the result file. They
// follow from the table of options.
func parameters(p *option.Plan) ([]cell, error) {
	data, err := p.Encode()
	if err != nil {
		return nil, err
	}
	values, err := members(data)
	if err != nil {
		return nil, err
	}
	var all []cell
	for _, o := range option.AgreedOptions() {
		all = append(all, cell{o.JSON, member(values, o.JSON)})
	}
	return all, nil
}

// membersOf returns the members of the JSON object that a value is in result files.
func membersOf(v any) (map[string]any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return members(data)
}

// members returns the members of a JSON object, with numbers as they are written.
func members(data []byte) (all map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("decode %.40q: %w", data, err)
	}
	return all, nil
}

// member returns a member by its path, or "" if the object does not have it. Items of lists have
// blanks between them.
func member(object map[string]any, path string) string {
	name, rest, inner := strings.Cut(path, ".")
	switch v := object[name].(type) {
	case nil:
		return ""
	case map[string]any:
		if inner {
			return member(v, rest)
		}
		return ""
	case []any:
		return strings.Trim(fmt.Sprint(v), "[]")
	default:
		return fmt.Sprint(v)
	}
}
