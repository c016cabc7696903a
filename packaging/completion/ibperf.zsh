#compdef ibperf
# Completion of ibperf for zsh: ibperf knows what can follow, from its table of options.
local -a lines
lines=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ -z "${lines[*]}" ]]; then
	_files
	return
fi
lines=("${(@)lines//:/\\:}")
lines=("${(@)lines/$'\t'/:}")
_describe ibperf lines
