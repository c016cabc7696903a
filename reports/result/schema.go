package result

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/option"
)

// Schema returns the JSON Schema (2020-12) of result files of [FormatVersion], made of the
// types in this package and the definitions of their fields. Members that it does not name
// are allowed, since releases may add some, unless it is to be strict.
func Schema(strict bool) []byte {
	s := schema{strict: strict, about: map[string]string{}}
	for _, kind := range []string{KindBandwidth, KindLatency} {
		for field, text := range DefinitionsFor(kind, string(option.OpWrite)) {
			if unit := UnitsFor(kind)[field]; unit != "" {
				text += " (" + unit + ")"
			}
			s.about[field] = text
		}
	}
	top := s.object(reflect.TypeFor[File](), "file")
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "Result file of ibperf"
	top["properties"].(map[string]any)["version"] = map[string]any{"const": FormatVersion}
	top["properties"].(map[string]any)["format"] = map[string]any{"const": FormatName}
	data, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(err) // of maps and texts
	}
	return append(data, '\n')
}

// schema makes the parts of a schema. Paths are those of definitions: from the row on.
type schema struct {
	strict bool
	about  map[string]string // what fields mean, with their unit
}

// words are the values that texts may have, by the field's path.
var words = map[string][]string{
	"file.kind": {KindLatency, KindBandwidth}, "file.role": {"client", "server"},
	"file.comparison.sweep": {SweepQPs, SweepGap}, "mode": ModeOrder, "variant": {VariantRelaxed, VariantLook, VariantControl},
}

// of is the schema of a type.
func (s *schema) of(t reflect.Type, path string) map[string]any {
	switch {
	case t == reflect.TypeFor[Parameters]():
		return s.parameters()
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem(), path)
	case reflect.Struct:
		return s.object(t, path)
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": s.of(t.Elem(), path)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem(), path)}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		if w := words[path]; w != nil {
			return map[string]any{"type": "string", "enum": w}
		}
		return map[string]any{"type": "string"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	}
	return map[string]any{"type": "integer"}
}

// object is the schema of a struct.
func (s *schema) object(t reflect.Type, path string) map[string]any {
	members, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		name, options, tagged := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if !t.Field(i).IsExported() || name == "" && !tagged && t.Field(i).Type != reflect.TypeFor[Parameters]() {
			continue
		}
		at := s.below(path, name)
		member := s.of(t.Field(i).Type, at)
		if text := s.about[at]; text != "" {
			member["description"] = text
		}
		members[name] = member
		if options != "omitempty" && !(t == reflect.TypeFor[Latency]() && !alwaysThere[name]) {
			required = append(required, name)
		}
	}
	return s.closed(map[string]any{"type": "object", "properties": members, "required": required})
}

// alwaysThere are the members of a latency that a mean alone has too.
var alwaysThere = map[string]bool{"n": true, "mean_ns": true, "factor": true}

// below is the path of a member. Rows and the build begin anew, as definitions do.
func (s *schema) below(path, name string) string {
	switch {
	case path == "file" && name == "rows" || path == "":
		return strings.TrimPrefix(name, "rows")
	case path == "file" && name == "build":
		return name
	case path == "file":
		return "file." + name
	}
	return path + "." + name
}

// parameters is the schema of the plan's options with what they came to.
func (s *schema) parameters() map[string]any {
	object := s.object(reflect.TypeFor[Extent](), "parameters")
	members, required := object["properties"].(map[string]any), object["required"].([]string)
	plain := option.Defaults(option.Test{Op: option.OpWrite, Kind: KindLatency})
	data, err := plain.Encode()
	var values map[string]any
	if err == nil {
		err = json.Unmarshal(data, &values)
	}
	if err != nil {
		panic(err) // it is encoded in every run
	}
	for name, value := range values {
		kind := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.Float64: "number", reflect.String: "string", reflect.Slice: "array"}[reflect.ValueOf(value).Kind()]
		members[name] = map[string]any{"type": kind, "description": s.about["parameters."+name]}
		required = append(required, name)
	}
	slices.Sort(required)
	object["required"] = required
	return object
}

// closed allows no other members if the schema is strict.
func (s *schema) closed(object map[string]any) map[string]any {
	if s.strict {
		object["additionalProperties"] = false
	}
	return object
}
