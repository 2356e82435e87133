# Completion of the daemons of paced for bash, from the options of their --help and the words for the values.
_paced() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} help value word
    help=$("$1" --help 2>/dev/null)
    COMPREPLY=()
    value=$(sed -nE "s/^  $previous ([^ ]+).*/\1/p" <<<"$help")
    if [ -z "$value" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(sed -nE 's/^  (--.*)/\1/p' <<<"$help" | grep -oE -- '--[a-z-]+')" -- "$current")
        return
    fi
    for word in ${value//|/ }; do
        case $word in
        FILE) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current") ;;
        DIR) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current") ;;
        hciN) mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$current") ;;
        *[A-Z]*) ;;
        *) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$word" -- "$current") ;;
        esac
    done
}
# The name of the file is that of the program.
name=${BASH_SOURCE##*/}
complete -o filenames -F _paced "${name%.bash}"
unset name
