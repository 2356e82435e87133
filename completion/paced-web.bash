# Completion of paced-web(8) for bash.
_paced-web() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $previous in
    --config) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    --runtime-dir | --state-dir | --page-dir | --paced-dir | --net-dir | --journal-dir | --maps-dir)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        ;;
    --listen) ;;
    *)
        local options='--listen --config --runtime-dir --state-dir --page-dir --paced-dir --net-dir --journal-dir --maps-dir --version --help'
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        ;;
    esac
}
complete -o filenames -F _paced-web paced-web
