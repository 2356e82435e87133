# Completion of pacectl(1) for bash.
_pacectl() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local sports='run walk hike ride other' formats='fit gpx tcx geojson kml csv'
    local commands='status watch start pause resume lap stop discard scan strap settings activities show export import recover replay doctor panel schema'
    local keys='metric twelve_hour_clock use_heart_rate_zones sport auto_lap_m auto_lap_s auto_stop_minutes straps zones components'
    local everywhere='--json --metric --imperial --runtime-dir --state-dir --version --help'
    COMPREPLY=()

    case $previous in
    --runtime-dir | --state-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --config | -o | --output) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current"); return ;;
    --sport) mapfile -t COMPREPLY < <(compgen -W "$sports" -- "$current"); return ;;
    --ago | --seconds | --limit | --before | --speed | --interval-ms) return ;;
    esac

    # The words of the command, without options and their values.
    local words=() index
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --runtime-dir | --state-dir | --config | -o | --output | --format | --sport | --ago | --seconds | --limit | --before | --speed | --interval-ms)
            ((index++))
            ;;
        -*) ;;
        *) words+=("${COMP_WORDS[index]}") ;;
        esac
    done

    local choices='' files=
    case "${words[*]}" in
    '') choices=$commands ;;
    start) choices="$sports --indoor --ago" ;;
    scan) choices=--seconds ;;
    strap) choices='status use auto off pair forget' ;;
    'strap use') choices=--add ;;
    settings) choices='get set' ;;
    'settings get' | 'settings set') choices=$keys ;;
    'settings set metric' | 'settings set twelve_hour_clock' | 'settings set use_heart_rate_zones') choices='true false' ;;
    'settings set sport') choices=$sports ;;
    activities) choices='--limit --before' ;;
    export | export\ *) choices='--format -o --output' ;;
    import | import\ *) files=yes ;;
    recover) files=yes ;;
    replay) choices='--speed --interval-ms --sport' files=yes ;;
    replay\ *) choices='--speed --interval-ms --sport' ;;
    panel) choices=--config ;;
    esac
    case $current in
    -*) choices+=" $everywhere" ;;
    esac
    mapfile -t COMPREPLY < <(
        compgen -W "$choices" -- "$current"
        [ -z "$files" ] || compgen -f -- "$current"
    )
}
complete -o filenames -F _pacectl pacectl
