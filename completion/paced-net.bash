# Completion of paced-net(8) for bash.
_paced-net() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $previous in
    --config) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    --runtime-dir | --cache-dir | --paced-dir | --maps-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    *)
        local options='--config --runtime-dir --cache-dir --paced-dir --maps-dir --version --help'
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        ;;
    esac
}
complete -o filenames -F _paced-net paced-net
