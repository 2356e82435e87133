# Completion of pacectl(1) for bash.
_pacectl() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local sports='run walk hike ride other' formats='fit gpx tcx geojson kml csv'
    local commands='status watch start pause resume lap stop discard scan sensors workout course settings activities badges bests show rename edit delete export report import recover replay rows publish weather places route metar taf transit web doctor panel help schema'
    local keys='metric twelve_hour_clock use_heart_rate_zones sport auto_lap_m auto_lap_s auto_stop_minutes auto_pause sensors zones max_heart_rate resting_heart_rate age sex weight_kg ftp power_zones wheel_mm stride_permille climb_score climb_laps alerts workout screens'
    local index place=()
    for ((index = 1; index + 1 < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --runtime-dir | --state-dir) place+=("${COMP_WORDS[index]}" "${COMP_WORDS[index + 1]}") ;;
        esac
    done
    # The activities, newest first, as this user may read them.
    local activities=''
    case " ${COMP_WORDS[*]:0:COMP_CWORD} " in
    *' show '* | *' export '* | *' report '* | *' rename '* | *' edit '* | *' delete '* | *' replay '* | *' rows '* | *' --before ')
        activities=$(pacectl "${place[@]}" activities --json --limit 50 2>/dev/null | sed -n 's/^{"id":\([0-9]*\).*/\1/p')
        ;;
    esac
    local everywhere='--json --metric --imperial --runtime-dir --state-dir --version --help'
    COMPREPLY=()

    case $previous in
    --runtime-dir | --state-dir | --net-dir | --maps-dir | --web-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    --config | -o | --output | --replay | --course | --trace | --certificate | --key) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current"); return ;;
    --before)
        [[ " ${COMP_WORDS[*]} " == *' bests '* ]] || mapfile -t COMPREPLY < <(compgen -W "$activities" -- "$current")
        return
        ;;
    --totals) mapfile -t COMPREPLY < <(compgen -W 'week month year' -- "$current"); return ;;
    --profile) mapfile -t COMPREPLY < <(compgen -W 'walk run ride' -- "$current"); return ;;
    --sport) mapfile -t COMPREPLY < <(compgen -W "$sports" -- "$current"); return ;;
    --ago | --seconds | --limit | --since | --until | --name | --start | --hide | --speed | --interval-ms | --valid-for | --source | --now | --at | --to | --from | --engine | --kind | --radius | --near | --contains | --exclude | --match | --line | --time | --home | --within | --walking) return ;;
    esac

    # The words of the command, without options and their values.
    local words=()
    for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
        --runtime-dir | --state-dir | --config | -o | --output | --format | --sport | --ago | --seconds | --limit | --before | --since | --until | --totals | --name | --start | --speed | --interval-ms | --replay | --course | --valid-for | --source | --now | --at | --net-dir | --maps-dir | --web-dir | --kind | --radius | --to | --from | --profile | --engine | --near | --contains | --exclude | --match | --line | --time | --home | --within | --walking | --trace | --certificate | --key)
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
    publish*) choices='--valid-for --source' ;;
    route) choices='--to --from --profile --engine --load --follow --net-dir --maps-dir' ;;
    weather) choices='--at --raw --net-dir' ;;
    web) choices='code open close control tokens revoke' ;;
    'web open'*) choices='--certificate --key' ;;
    'web control') choices='on off' ;;
    'web code'*) choices='--control --web-dir' ;;
    'web tokens'* | 'web revoke') choices='all --web-dir' ;;
    places) choices='import near along search show' ;;
    'places import'*) choices='--force --maps-dir' files=yes ;;
    'places near'*) choices='--at --kind --radius --limit --maps-dir' ;;
    'places along'*) choices='--kind --radius --limit --maps-dir' ;;
    'places search'*) choices='--at --limit --maps-dir' ;;
    'places show'*) choices='--maps-dir' ;;
    metar | taf) choices=--now ;;
    transit) choices='import lines groups stops departures next-home decode' ;;
    'transit import'*) choices='--near --at --maps-dir' files=yes ;;
    'transit lines'*) choices='move --contains --exclude --match --format --output --trace --force --maps-dir --net-dir' ;;
    'transit groups') choices='add edit rename remove move default first preset' ;;
    'transit groups preset') choices=cata ;;
    'transit stops'*) choices='--at --radius --limit --maps-dir' ;;
    'transit departures'*) choices='--line --time --at --radius --limit --maps-dir --net-dir' ;;
    'transit next-home'*) choices='--at --home --within --walking --bikes --time --limit --maps-dir --net-dir' ;;
    'transit decode'*) files=yes ;;
    sensors) choices='status add use auto off pair zero forget' ;;
    course) choices='list show import export load unload from reverse rename delete partner' ;;
    'course import'*) choices='--name --load' files=yes ;;
    'course partner'*) choices='off last --on-course' ;;
    'course export'*) choices='last loaded --format --output --force' ;;
    workout) choices='load unload' ;;
    'workout load') files=yes ;;
    settings) choices='get set reset' ;;
    'settings get' | 'settings set' | 'settings reset') choices=$keys ;;
    'settings set metric' | 'settings set twelve_hour_clock' | 'settings set use_heart_rate_zones' | 'settings set climb_laps') choices='yes no' ;;
    'settings set sex') choices='female male' ;;
    'settings set sport' | 'settings set auto_pause') choices=$sports ;;
    'settings set sensors' | 'settings set zones' | 'settings set auto_'* | 'settings set '*_heart_rate)
        # The present value in one word, as paced.conf has it; a name may have spaces.
        local value
        value=$(pacectl "${place[@]}" --json settings get "${words[2]}" 2>/dev/null | sed '/^null$/d; s/[]["]//g')
        mapfile -t COMPREPLY < <(IFS=$'\n'; compgen -W "$value" -- "$current")
        return
        ;;
    activities) choices='--sport --since --until --limit --before --totals' ;;
    bests) choices='--sport --since --before' ;;
    show | rename | edit) choices="last $activities" ;;
    'edit '*) choices='--sport --name --start' ;;
    delete | delete\ *) choices="last $activities --demo --force" ;;
    export | export\ *) choices="last $activities --all --format -o --output --force --hide --verbose" ;;
    report | report\ *) choices="last $activities -o --output --force --hide --since --until --sport" ;;
    import | import\ *) choices='--sport --again --one --verbose' files=yes ;;
    help) choices=$commands ;;
    recover) files=yes ;;
    watch) choices='--replay --speed --loop --web-dir' ;;
    rows) choices="last $activities --sport" files=yes ;;
    replay) choices="last $activities --speed --interval-ms --sport --course" files=yes ;;
    replay\ *) choices='--speed --interval-ms --sport --course' ;;
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
