package result

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// fieldsOf adds the JSON names of a struct and of the structs in it, below prefix, and
// whether they are numbers.
func fieldsOf(t reflect.Type, prefix string, to map[string]bool) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		inner := t.Field(i).Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		to[prefix+name] = inner.Kind() != reflect.Struct && inner.Kind() != reflect.String && inner.Kind() != reflect.Bool
		if inner.Kind() == reflect.Struct {
			fieldsOf(inner, prefix+name+".", to)
		}
	}
}

func TestEveryNumberHasDefinitionAndUnit(t *testing.T) {
	numbers := map[string]bool{}
	fieldsOf(reflect.TypeFor[Row](), "", numbers)
	byKind := map[option.Kind]map[string]string{}
	units := map[option.Kind]map[string]string{}
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		byKind[kind], units[kind] = DefinitionsFor(kind, "write"), UnitsFor(kind)
	}
	for field, number := range numbers {
		if !number {
			continue
		}
		field = strings.TrimPrefix(field, "devices.") // rows of devices have the members of rows
		defined := false
		for kind := range byKind {
			defined = defined || byKind[kind][field] != "" && units[kind][field] != ""
		}
		if !defined {
			t.Errorf("%s lacks a definition or a unit", field)
		}
	}
}

func TestEveryDefinitionIsOfAField(t *testing.T) {
	rows := map[string]bool{}
	fieldsOf(reflect.TypeFor[Row](), "", rows)
	file := map[string]bool{}
	fieldsOf(reflect.TypeFor[File](), "", file)
	for _, o := range option.AgreedOptions() {
		file["parameters."+o.JSON] = o.Unit != ""
	}
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		for _, names := range []map[string]string{DefinitionsFor(kind, "read"), UnitsFor(kind)} {
			for field, text := range names {
				_, inRow := rows[field]
				_, inFile := file[field]
				if !inRow && !inFile || text == "" {
					t.Errorf("%s is %q, but no field", field, text)
				}
			}
		}
	}
}

// The value of a column is that of its field: only that column changes with the field.
func TestColumnsShowTheirFields(t *testing.T) {
	seen := map[string]bool{}
	for i := range columns {
		c := &columns[i]
		if seen[c.Field] {
			t.Errorf("%s is there twice", c.Field)
		}
		seen[c.Field] = true
		if c.Value == nil {
			continue
		}
		r := &Row{Latency: &Latency{}, Bandwidth: &Bandwidth{}, FromClient: &Direction{}, FromServer: &Direction{}, Verify: &Verify{}, Delivery: &Delivery{}}
		if v := c.Value(r); v != 0 {
			t.Errorf("%s of nothing is %v", c.Field, v)
		}
		setField(t, reflect.ValueOf(r).Elem(), strings.Split(c.Field, "."))
		if v := c.Value(r); v != 7 {
			t.Errorf("%s is %v, want 7", c.Field, v)
		}
		if c.print != nil && c.Text(r) == Unmeasured {
			t.Errorf("%s is not printed", c.Field)
		}
		if c.Value(&Row{}) != 0 {
			t.Errorf("%s of a row without parts is not 0", c.Field)
		}
	}
}

// setField sets the number at a path of JSON names to 7.
func setField(t *testing.T, v reflect.Value, path []string) {
	t.Helper()
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name != path[0] {
			continue
		}
		switch f := v.Field(i); {
		case len(path) > 1:
			setField(t, f, path[1:])
		case f.Kind() == reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			f.Elem().SetUint(7)
		case f.CanInt():
			f.SetInt(7)
		case f.CanUint():
			f.SetUint(7)
		default:
			f.SetFloat(7)
		}
		return
	}
	t.Errorf("there is no field %s", path[0])
}

func TestTextOfNumbers(t *testing.T) {
	r := &Row{Size: 4096, Opcode: "SEND", Local: Cost{Busy: 0.9987, SleepsPerMessage: 0.00012}, Latency: &Latency{MeanNs: 1234}}
	r.Bandwidth = &Bandwidth{Average: 1 << 30, MeasuredAt: "receiver"}
	for field, want := range map[string]string{
		"size_bytes": "4K", "opcode": "SEND", "touch": "-", "slots": "-", "local.busy": "99.9", "local.sleeps_per_message": "0.0001",
		"peer.busy": "-", "peer.sleeps_per_message": "-", "latency.mean_ns": "1.234", "latency.p50_ns": "-",
		"bandwidth.average_bytes_per_s": "8.59", "bandwidth.peak_bytes_per_s": "-", "bandwidth.measured_at": "receiver", "verify.torn": "0",
	} {
		if got := ColumnOf(field).Text(r); got != want {
			t.Errorf("%s is printed as %q, want %q", field, got, want)
		}
	}
	average := ColumnOf("bandwidth.average_bytes_per_s")
	if average.Text(r) != "8.59" || average.Shown() != "Gb/s" {
		t.Errorf("printed as %s %s", average.Text(r), average.Shown())
	}
	for i := range columns {
		if c := &columns[i]; c.print != nil {
			if text := c.print(math.NaN()); strings.Contains(text, "NaN") {
				t.Errorf("%s prints %s", c.Field, text)
			}
		}
	}
}

func TestDefinitionsFollowTheOperation(t *testing.T) {
	for _, field := range []string{"latency", "latency.factor"} {
		if DefinitionsFor(option.KindLatency, "read")[field] == DefinitionsFor(option.KindLatency, "send")[field] {
			t.Errorf("%s: a read's full round trip is defined as half of one", field)
		}
	}
	old := &File{Kind: option.KindBandwidth, Op: "write", Definitions: map[string]string{"average_bytes_per_s": "as it was"}}
	if got := old.Definition(MainField(old.Kind)); got != "as it was" {
		t.Errorf("a file of version 1 says %q", got)
	}
	if got := (&File{Kind: option.KindLatency, Op: "write"}).Definition("latency"); got != halfTripDefinition {
		t.Errorf("a file without definitions says %q", got)
	}
}

func TestNamesOfVariants(t *testing.T) {
	for want, r := range map[string]Row{
		"data": {Mode: "data"}, "poll+relaxed": {Mode: "poll", Variant: option.VariantRelaxed},
		"data+look": {Mode: "data", Variant: option.VariantLook}, "poll (control)": {Mode: "poll", Variant: option.VariantControl},
		"event+same-cpu": {Mode: "event", Variant: option.VariantSameCPU},
	} {
		if got := r.Name(); got != want {
			t.Errorf("name is %q, want %q", got, want)
		}
	}
	look := &Row{Mode: "data", Variant: option.VariantLook, Forced: true}
	if look.ModeMark() != "data+look!" || look.ModeName() != "data+look (forced, unsafe)" || look.Base() != "data" {
		t.Errorf("%s, %s, compared with %s", look.ModeMark(), look.ModeName(), look.Base())
	}
	if len(NameOrder) != 7*len(option.Modes()) || NameOrder[0] != "data" || NameOrder[6] != "poll" || NameOrder[31] != "poll (control)" {
		t.Errorf("names are %q", NameOrder)
	}
}
