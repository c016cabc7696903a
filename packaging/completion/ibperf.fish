# Completion of ibperf for fish: ibperf knows what can follow, from its table of options.
complete -c ibperf -a '(ibperf complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
