package option

import "slices"

// ResolvedPlan is a checked plan in which every value is decided. Only [Settings.Resolve] makes one,
// and it does not change.
type ResolvedPlan struct{ plan Plan }

// Resolve checks the plan together with the side's own options and resolves it.
func (s *Settings) Resolve() (ResolvedPlan, error) {
	if err := s.Check(); err != nil {
		return ResolvedPlan{}, err
	}
	return ResolvedPlan{s.Plan.Resolve()}, nil
}

// Plan returns a copy of the plan.
func (r ResolvedPlan) Plan() Plan {
	p := r.plan
	p.Sizes, p.FlowLabels, p.Also = slices.Clone(p.Sizes), slices.Clone(p.FlowLabels), slices.Clone(p.Also)
	return p
}
