# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_lockblame_global_optspecs
    string join \n h/help V/version
end

function __fish_lockblame_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_lockblame_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_lockblame_using_subcommand
    set -l cmd (__fish_lockblame_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c lockblame -n "__fish_lockblame_needs_command" -s h -l help -d 'Print help'
complete -c lockblame -n "__fish_lockblame_needs_command" -s V -l version -d 'Print version'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "report" -d 'Name the contended locks and who calls them'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "callers" -d 'Show the tree of callers above a lock or a symbol'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "inspect" -d 'Say what was recorded, how, and how good the data are'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "diff" -d 'Compare runs before and after a change'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "check" -d 'Fail where a change makes locks worse: a gate for continuous integration'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "flame" -d 'Draw a flame graph that shows locks, or the difference of two sides'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "export" -d 'Write the callchains for other tools'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "html" -d 'Write a page for a browser: verdicts, tables, trees of callers and graphs in one file'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "completions" -d 'Print the completions for a shell'
complete -c lockblame -n "__fish_lockblame_needs_command" -f -a "man" -d 'Print a man page'
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l family -d 'Locks of these families: spinlock, rwlock, mutex, rwsem, percpu-rwsem, semaphore, rtmutex, lglock, lockref, futex, pthread, rust, go, user' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l lock -d 'Locks of these names; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l caller -d 'Call sites in these functions; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l through -d 'See through wrappers (task_rq_lock, lockref_get_or_lock, …) to their callers; with a list, through these too' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l rules -d 'A TOML file with more functions of locks (see docs/locks.md)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l min-share -d 'Leave out rows below this percentage of the total (they are summed up)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l limit -d 'The most rows (the rest is summed up; default: 12, 30 symbols, and all for csv and json)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l by -d 'What rows are made of' -r -f -a "lock\t''
site\t''
symbol\t''
comm\t''
cpu\t''
path\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l format -d 'The format' -r -f -a "table\t''
mail\t''
perf\t''
lkp\t''
lkp-ascii\t''
markdown\t''
csv\t''
json\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l color -d 'Colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l width -d 'Columns (default: the terminal\'s)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l lkp-ascii -d 'The older form of the test robot\'s table, which survives any mailer: --format lkp-ascii'
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -l ascii -d 'Draw tables with ASCII'
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand report" -s h -l help -d 'Print help'
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l lock -d 'The root: a lock as the report names it, or any function of its slow path' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l symbol -d 'The root: a function in which samples lie, lock or not' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l depth -d 'Levels of callers' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l min-share -d 'Leave out callers below this percentage of their parent (they are summed up)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l limit -d 'The most callers on a level (the rest is summed up)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l format -d 'The format' -r -f -a "table\t''
mail\t''
perf\t''
lkp\t''
lkp-ascii\t''
markdown\t''
csv\t''
json\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l color -d 'Colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l width -d 'Columns (default: the terminal\'s)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l absolute -d 'Percentages of the event\'s total, not of the parent'
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l lkp-ascii -d 'The older form of the test robot\'s table, which survives any mailer: --format lkp-ascii'
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -l ascii -d 'Draw tables with ASCII'
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand callers" -s h -l help -d 'Print help'
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l format -d 'The format' -r -f -a "table\t''
mail\t''
perf\t''
lkp\t''
lkp-ascii\t''
markdown\t''
csv\t''
json\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l color -d 'Colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l width -d 'Columns (default: the terminal\'s)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l lkp-ascii -d 'The older form of the test robot\'s table, which survives any mailer: --format lkp-ascii'
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -l ascii -d 'Draw tables with ASCII'
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand inspect" -s h -l help -d 'Print help'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l before -d 'Runs before the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l after -d 'Runs after the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l kallsyms-before -d 'The kernel\'s symbols of the side before, where the sides\' kernels differ' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l kallsyms-after -d 'The kernel\'s symbols of the side after' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l test -d 'Which test decides' -r -f -a "welch\t'Welch\'s t'
rank\t'Mann-Whitney\'s U, exact; from four runs a side on'
range\t'The kernel test robot\'s criterion on ranges'"
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l min-effect -d 'A smaller change is called none, in points' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l side -d 'A side of its own name; each further one is compared with the first' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l ops-before -d 'Operations that the runs before did: numbers, or files with a number a line' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l ops-after -d 'Operations that the runs after did' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l ops-pattern -d 'How to find the number of operations in the benchmark\'s log: a regular expression whose group is the number' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l metrics-before -d 'The benchmark\'s own figures before: CSV with the header run,metric,value, or JSON lines of the same' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l metrics-after -d 'The benchmark\'s own figures after' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l by -d 'What rows are made of; family keeps a lock that the kernel renamed in one row' -r -f -a "site\t''
lock\t''
family\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l family -d 'Locks of these families: spinlock, rwlock, mutex, rwsem, percpu-rwsem, semaphore, rtmutex, lglock, lockref, futex, pthread, rust, go, user' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l lock -d 'Locks of these names; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l caller -d 'Call sites in these functions; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l through -d 'See through wrappers (task_rq_lock, lockref_get_or_lock, …) to their callers; with a list, through these too' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l rules -d 'A TOML file with more functions of locks (see docs/locks.md)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l min-share -d 'Leave out rows below this percentage of the total (they are summed up)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l limit -d 'The most rows (the rest is summed up; default: 12, 30 symbols, and all for csv and json)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l format -d 'The format' -r -f -a "table\t''
mail\t''
perf\t''
lkp\t''
lkp-ascii\t''
markdown\t''
csv\t''
json\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l color -d 'Colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l width -d 'Columns (default: the terminal\'s)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l force -d 'Compare different events all the same'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l lkp-ascii -d 'The older form of the test robot\'s table, which survives any mailer: --format lkp-ascii'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l ascii -d 'Draw tables with ASCII'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -l lkp-all -d 'With lkp: all rows, not only those that the robot\'s criterion takes'
complete -c lockblame -n "__fish_lockblame_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l fail-if -d 'Fail where this is so: \'spinlock > +1pt\' (points of share), \'total > 10%\' (share after), \'any lock > +20% per-op\' (cost of an operation). Subjects: total, a family, lock NAME [from NAME], caller NAME, any family, any lock, any caller, any site. It must be more than noise, unless \'even if unproven\' follows' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l before -d 'Runs before the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l after -d 'Runs after the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l kallsyms-before -d 'The kernel\'s symbols of the side before, where the sides\' kernels differ' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l kallsyms-after -d 'The kernel\'s symbols of the side after' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l test -d 'Which test decides' -r -f -a "welch\t'Welch\'s t'
rank\t'Mann-Whitney\'s U, exact; from four runs a side on'
range\t'The kernel test robot\'s criterion on ranges'"
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l min-effect -d 'A smaller change is called none, in points' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l side -d 'A side of its own name; each further one is compared with the first' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l ops-before -d 'Operations that the runs before did: numbers, or files with a number a line' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l ops-after -d 'Operations that the runs after did' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l ops-pattern -d 'How to find the number of operations in the benchmark\'s log: a regular expression whose group is the number' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l metrics-before -d 'The benchmark\'s own figures before: CSV with the header run,metric,value, or JSON lines of the same' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l metrics-after -d 'The benchmark\'s own figures after' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l family -d 'Locks of these families: spinlock, rwlock, mutex, rwsem, percpu-rwsem, semaphore, rtmutex, lglock, lockref, futex, pthread, rust, go, user' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l lock -d 'Locks of these names; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l caller -d 'Call sites in these functions; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l through -d 'See through wrappers (task_rq_lock, lockref_get_or_lock, …) to their callers; with a list, through these too' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l rules -d 'A TOML file with more functions of locks (see docs/locks.md)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l min-share -d 'Leave out rows below this percentage of the total (they are summed up)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l limit -d 'The most rows (the rest is summed up; default: 12, 30 symbols, and all for csv and json)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l format -d 'The format' -r -f -a "text\t'A line a condition'
junit\t'JUnit XML'
github\t'Annotations of GitHub Actions'
json\t'JSON'"
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l force -d 'Compare different events all the same'
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l by -d 'What the graph stands on' -r -f -a "stacks\t'Outermost callers, and on them what they called'
callers\t'Locks, on them their call sites, and callers outwards'"
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l width-by -d 'What frames of a difference are as wide as' -r -f -a "after\t'Their share after'
before\t'Their share before'
larger\t'Of each callchain the larger one, so that what is gone can be seen'"
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l min-width -d 'Frames narrower than this percentage of the picture are not drawn, and it says how much that is; the default is a pixel of 2000' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l before -d 'Runs before the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l after -d 'Runs after the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l kallsyms-before -d 'The kernel\'s symbols of the side before, where the sides\' kernels differ' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l kallsyms-after -d 'The kernel\'s symbols of the side after' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l test -d 'Which test decides' -r -f -a "welch\t'Welch\'s t'
rank\t'Mann-Whitney\'s U, exact; from four runs a side on'
range\t'The kernel test robot\'s criterion on ranges'"
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l min-effect -d 'A smaller change is called none, in points' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l family -d 'Locks of these families: spinlock, rwlock, mutex, rwsem, percpu-rwsem, semaphore, rtmutex, lglock, lockref, futex, pthread, rust, go, user' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l lock -d 'Locks of these names; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l caller -d 'Call sites in these functions; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l through -d 'See through wrappers (task_rq_lock, lockref_get_or_lock, …) to their callers; with a list, through these too' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l rules -d 'A TOML file with more functions of locks (see docs/locks.md)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l format -d 'The format' -r -f -a "svg\t'A picture for a browser'
json\t'Frames with their weights, for scripts'"
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l force -d 'Compare different events all the same'
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand flame" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l to -d 'The format' -r -f -a "folded\t'Folded stacks, as stackcollapse-perf and inferno-collapse-perf write them'"
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l weight -d 'What the counts are' -r -f -a "period\t'The sum of the samples\' periods: cycles, ns or events'
samples\t'The number of samples'"
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l before -d 'Runs before the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l after -d 'Runs after the change' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l kallsyms-before -d 'The kernel\'s symbols of the side before, where the sides\' kernels differ' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l kallsyms-after -d 'The kernel\'s symbols of the side after' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l test -d 'Which test decides' -r -f -a "welch\t'Welch\'s t'
rank\t'Mann-Whitney\'s U, exact; from four runs a side on'
range\t'The kernel test robot\'s criterion on ranges'"
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l min-effect -d 'A smaller change is called none, in points' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l ops-before -d 'Operations that the runs before did: numbers, or files with a number a line' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l ops-after -d 'Operations that the runs after did' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l ops-pattern -d 'How to find the number of operations in the benchmark\'s log: a regular expression whose group is the number' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l metrics-before -d 'The benchmark\'s own figures before: CSV with the header run,metric,value, or JSON lines of the same' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l metrics-after -d 'The benchmark\'s own figures after' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l event -d 'The event to report, as perf names it; NAME#2 is the second of one name (default: of those with samples, cycles before cpu-clock before task-clock before the first other one)' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l comm -d 'Threads of this name' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l pid -d 'Processes' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l tid -d 'Threads' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l cpu -d 'Processors, as 0-3,8' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l time -d 'A span of time: seconds of the recording\'s clock, either end open, or 10%-40% of the recording' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l family -d 'Locks of these families: spinlock, rwlock, mutex, rwsem, percpu-rwsem, semaphore, rtmutex, lglock, lockref, futex, pthread, rust, go, user' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l lock -d 'Locks of these names; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l caller -d 'Call sites in these functions; * stands for anything' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l through -d 'See through wrappers (task_rq_lock, lockref_get_or_lock, …) to their callers; with a list, through these too' -r
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l rules -d 'A TOML file with more functions of locks (see docs/locks.md)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l kallsyms -d 'A copy of /proc/kallsyms of the recorded kernel (default: one beside the recording, perf\'s cache, or this machine\'s if it was the one recorded)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l symfs -d 'A copy of the recorded machine\'s files (default: a folder symfs beside the recording, or this machine\'s files whose build-id is the recorded one)' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -s o -l output -d 'Write to a file instead of the terminal' -r -F
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l force -d 'Compare different events all the same'
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l no-idle -d 'Leave the idle task out'
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -l kernel-only -d 'Leave samples of user space out'
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -s q -l quiet -d 'No progress, warnings or hints on stderr'
complete -c lockblame -n "__fish_lockblame_using_subcommand html" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c lockblame -n "__fish_lockblame_using_subcommand completions" -s h -l help -d 'Print help'
complete -c lockblame -n "__fish_lockblame_using_subcommand man" -s h -l help -d 'Print help'
