package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// options holds a command line.
type options struct {
	option.Settings
	resolved option.ResolvedPlan // of a test's command line
	payload  []byte              // of --payload_file_path
	host     string              // of the server; empty on the server itself
	given    []string            // names of the agreed options on the command line
	ignored  []*option.Option    // on the command line, without the effect that the user may expect
}

// parse parses and checks the command line of a test, without the program's name.
func parse(t option.Test, args []string) (*options, error) {
	o := &options{Settings: option.New(t)}
	f := define(&o.Settings)
	if err := f.parse(args); err != nil {
		return nil, err
	}
	if o.Own.Help != option.NoHelp || o.Own.Version {
		return o, nil
	}
	if err := o.takeHost(f.set.Args()); err != nil {
		return nil, err
	}
	if err := o.checkRole(f); err != nil {
		return nil, err
	}
	o.takeGiven(f)
	o.takeDevices()
	o.ignored = f.ignored(o.Test)
	o.Own.JSON = o.Own.JSON || o.Own.JSONFile != ""
	var err error
	if o.resolved, err = o.Resolve(); err != nil {
		return nil, usage(err.Error())
	}
	if err := checkGivenSizes(&o.Plan, o.given); err != nil {
		return nil, usage(err.Error())
	}
	return o, nil
}

// takeDevices takes the number of a client's devices into the plan. A server has as many as its client.
func (o *options) takeDevices() {
	if list, err := option.ParseDevices(o.Own.Device, o.Own.IBPort); err == nil && o.host != "" && len(list) > 0 {
		o.Devices = len(list)
	}
}

// takeGiven records which agreed options were given. An option that yields to another given one
// counts as not given.
func (o *options) takeGiven(f *flags) {
	plain := option.New(o.Test)
	yields := func(a *option.Option) bool {
		for other := range f.options {
			if a.OverriddenBy(other) {
				return true
			}
		}
		return false
	}
	for _, agreed := range option.AgreedOptions() {
		by, given := f.options[agreed.Name]
		if all := option.Find(by.name); given && all.Overrides && yields(all) {
			_ = agreed.Set(&o.Settings, by.overridden) // was set before, or is the default
		}
		switch {
		case given && yields(agreed):
			agreed.Copy(&o.Settings, &plain)
		case given:
			o.given = append(o.given, agreed.Name)
		}
	}
}

// checkGivenSizes refuses sizes that no message can have if --size was given, even with the default's
// value.
func checkGivenSizes(p *option.Plan, given []string) error {
	if !slices.Contains(given, "size") {
		return nil
	}
	return p.CheckGivenSizes()
}

// takeHost takes the arguments that are not options: at most the server's name or address.
func (o *options) takeHost(args []string) error {
	if len(args) > 1 {
		return usage(fmt.Sprintf("one server at most: %s", strings.Join(args, " ")))
	}
	if len(args) == 0 {
		return nil
	}
	host := args[0]
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	if isNoHost(host) {
		return usage(fmt.Sprintf("server %q: write a host name or an address, and its port with -p", args[0]))
	}
	o.host = host
	return nil
}

// isNoHost reports whether a text cannot be a host's name or address, such as an option after "--".
func isNoHost(host string) bool {
	if strings.Count(host, ":") > 1 { // an IPv6 address
		return strings.ContainsAny(host, " []/")
	}
	return host == "" || host[0] == '-' || strings.ContainsAny(host, ": []/")
}

// checkRole refuses options of the other role.
func (o *options) checkRole(f *flags) error {
	other, role := option.Client, "client, which is run with a host"
	if o.host != "" {
		other, role = option.Server, "server, which is run without a host"
	}
	i := slices.IndexFunc(option.Table(), func(t *option.Option) bool { return t.Scope == other && f.given(t.Name) })
	switch {
	case i >= 0:
		return usage(fmt.Sprintf("--%s is an option of the %s", option.Table()[i].Name, role))
	case o.host != "" && o.Own.Port == 0:
		return usage("--port 0 is for the server: the client needs the port that the server printed")
	}
	return nil
}

// resultFile returns the path of the result file of a test, with a number unless it is 0. The
// sides of a run have different default names.
func (o *options) resultFile(t option.Test, number int) string {
	path := o.Own.JSONFile
	switch {
	case path != "":
	case o.host != "":
		path = t.Program() + ".json"
	default:
		path = t.Program() + ".server.json"
	}
	if number > 0 {
		path = numbered(path, number)
	}
	return path
}
