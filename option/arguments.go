package option

import (
	"reflect"
	"strings"
)

// Arguments returns the options on a command line of the test's program that gives the plan. It leaves
// out options without which the resolved plan is the same.
func (p *Plan) Arguments() []string {
	want, plain, given := p.Resolve(), New(p.Test), Settings{Plan: *p}
	var list []string
	for _, o := range AgreedOptions() {
		without := given
		if o.Copy(&without, &plain); reflect.DeepEqual(without.Plan.Resolve(), want) {
			given = without
		}
	}
	for _, o := range AgreedOptions() {
		if !o.isGiven(&given) {
			continue
		}
		name, argument, found := strings.Cut(o.Written(&given), " ")
		if list = append(list, name); found {
			list = append(list, argument)
		}
	}
	return list
}
