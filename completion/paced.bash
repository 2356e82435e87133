# Completion of paced(8) for bash.
_paced() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $previous in
    --config | --replay) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    --runtime-dir | --state-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    --gpsd) mapfile -t COMPREPLY < <(compgen -W 'localhost off' -- "$current") ;;
    --sensors) mapfile -t COMPREPLY < <(compgen -W 'auto off' -- "$current") ;;
    --barometer) mapfile -t COMPREPLY < <(compgen -W 'auto off' -- "$current") ;;
    --bluetooth) mapfile -t COMPREPLY < <(compgen -W 'auto kernel bluetoothd off' -- "$current") ;;
    --adapter) mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/bluetooth 2>/dev/null)" -- "$current") ;;
    *)
        local options='--config --check --gpsd --sensors --adapter --barometer --bluetooth --runtime-dir --state-dir --demo --replay --speed --loop --version --help'
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        ;;
    esac
}
complete -o filenames -F _paced paced
