# SPDX-License-Identifier: LGPL-2.1-or-later
# fish completion of drupe(1)

function __drupe_policies
    for file in @policydir@/*.yaml @policydir@/*.ini
        string replace -r '.*/(.*)\.[a-z]+$' '$1' -- $file
    end
    __fish_complete_suffix .yaml
    __fish_complete_suffix .ini
end

# The options that take a value.
set -g __drupe_valued -p -P -w -t -r -u --policy --profile --workspace --timeout --read --user \
    --report --backend-dir --dump

# True for the commands named, as long as no word of COMMAND was given.
function __drupe_option_of
    __fish_seen_subcommand_from $argv; or return 1
    set -l words (commandline -opc)[3..-1]
    while set -q words[1]
        switch $words[1]
            case --
                return 1
            case $__drupe_valued
                set -e words[1]
            case '-*'
            case '*'
                contains -- $argv[1] run plan; and return 1
        end
        set -e words[1]
    end
    return 0
end

complete -c drupe -f
complete -c drupe -n __fish_use_subcommand -a run -d 'Run a command inside the sandbox'
complete -c drupe -n __fish_use_subcommand -a plan -d 'Show what would run'
complete -c drupe -n __fish_use_subcommand -a preflight -d 'Try the sandbox on this machine'
complete -c drupe -n __fish_use_subcommand -a check -d 'Validate policies'
complete -c drupe -n __fish_use_subcommand -a backends -d 'List the backends'
complete -c drupe -n __fish_use_subcommand -a serve -d 'Keep sessions for another program'
complete -c drupe -n __fish_use_subcommand -s h -l help -d 'Print a summary'
complete -c drupe -n __fish_use_subcommand -s V -l version -d 'Print the version'

set -l sandbox '__drupe_option_of run plan preflight'
complete -c drupe -n $sandbox -s p -l policy -x -a '(__drupe_policies)' -d 'The policy to use'
complete -c drupe -n $sandbox -s P -l profile -x -d 'The profile of the policy'
complete -c drupe -n $sandbox -s w -l workspace -x -a '(__fish_complete_directories)' -d 'The folder to work in'
complete -c drupe -n $sandbox -s t -l timeout -x -a '10s 45s 2m 10m 1h' -d 'End the run after this time'
complete -c drupe -n $sandbox -l network -d 'Ask for the network'
complete -c drupe -n $sandbox -l no-network -d 'No network'
complete -c drupe -n $sandbox -s r -l read -r -F -d 'Show this path of the host as well'
complete -c drupe -n $sandbox -l read-only -d 'Make the workspace read-only'
complete -c drupe -n $sandbox -l single-root -d 'Leave the corpora out'
complete -c drupe -n $sandbox -s i -l stdin -d 'Pass standard input through'
complete -c drupe -n $sandbox -s u -l user -x -a '(__fish_complete_users)' -d 'The user to run as, for root'
complete -c drupe -n '__drupe_option_of run' -l report -r -F -d 'Write the JSON result to a file'

set -l serve '__drupe_option_of serve'
complete -c drupe -n $serve -s p -l policy -x -a '(__drupe_policies)' -d 'The policy of all sessions'
complete -c drupe -n $serve -s P -l profile -x -d 'The profile of those that name none'
complete -c drupe -n $serve -s u -l user -x -a '(__fish_complete_users)' -d 'The user to run as, for root'
complete -c drupe -n $serve -l mcp -d 'Speak the Model Context Protocol'
complete -c drupe -n $serve -s w -l workspace -x -a '(__fish_complete_directories)' -d 'With --mcp: the folder to work in'
complete -c drupe -n $serve -l read-only -d 'Make the workspace read-only'
complete -c drupe -n $serve -l single-root -d 'Leave the corpora out'

set -l any '__drupe_option_of run plan preflight check backends serve'
complete -c drupe -n '__drupe_option_of run plan preflight backends' -l json -d 'Print the result as JSON'
complete -c drupe -n $any -s q -l quiet -d 'Say less'
complete -c drupe -n $any -s v -l verbose -d 'Say more'
complete -c drupe -n $any -s V -l version -d 'Print the version'
complete -c drupe -n $any -s h -l help -d 'Print a summary'
complete -c drupe -n '__drupe_option_of run plan preflight backends serve' -l backend-dir -x -a '(__fish_complete_directories)' -d 'Look for backends here'
complete -c drupe -n '__drupe_option_of backends' -l dump -x -d 'Show one backend'
complete -c drupe -n '__fish_seen_subcommand_from check' -a '(__drupe_policies)'
complete -c drupe -n '__fish_seen_subcommand_from run plan' -a '(__fish_complete_subcommand --fcs-skip=2 $__drupe_valued)'
