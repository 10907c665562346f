# fish completion for mazurka: commands, options and their values come from the program's own tables.
function __mazurka_words
    set -l tokens (commandline -opc)
    set -l word (commandline -ct)
    if test (count $tokens) -le 1
        mazurka --words | string trim
    else if string match -q -- '-*' $word
        mazurka --words $tokens[2]
    else if string match -q -- '--*' $tokens[-1]
        mazurka --words $tokens[2] $tokens[-1]
    else if test (count $tokens) -eq 2
        mazurka --words $tokens[2] ''
    end
end
complete -c mazurka -a '(__mazurka_words)'
