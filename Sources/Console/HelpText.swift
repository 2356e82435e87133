/// Output of `pacectl --help`.
let helpText = """
    pacectl is the command line of paced, the headless sports computer.

    Usage: pacectl [OPTION]... COMMAND

      status                    how the run, the strap and the receiver stand
      watch                     the run as it goes: a screen on a terminal (q leaves
                                it), lines elsewhere
      start [SPORT] [--indoor] [--ago SECONDS]
                                begin a run: run, walk, hike, ride or other; with
                                --ago it began so much earlier, at most 120 s
      pause                     hold the run
      resume                    go on with it
      lap                       close the lap
      stop                      end the run and keep it
      discard                   end the run and throw it away
      scan [--seconds N]        which straps there are: listens for 10 s, or N
      strap status              how the way to the strap stands; which are yours
      strap use STRAP [--add]   use this one: an address, a name or the end of it;
                                with --add beside those you have
      strap auto                use the one that is remembered, or that is found
      strap off                 use none
      strap pair STRAP          pair with one that gives heart rate only then
      strap forget [STRAP]      forget one, or all
      settings                  all settings
      settings get KEY          one setting
      settings set KEY VALUE    change it; VALUE is text or JSON:
                                settings set zones '[114,133,152,171,180]'
      activities [--limit N] [--before ID]
                                what was recorded and imported, the newest first
      show ID                   one activity: totals, laps, time in zones
      export ID --format F [-o FILE]
                                an activity as fit, gpx, tcx, geojson, kml or csv
      import [--] FILE...       FIT, GPX, TCX and KML files into the journal
      recover FILE              what can be read of a damaged journal, back into
                                the list
      replay ID|FILE [--speed N] [--interval-ms N] [--sport S]
                                what paced said of a run, or would have said of a
                                file's: N times as fast as it was, or at once
      doctor                    what this machine lacks for a run to be recorded,
                                and the command or the line that mends it
      panel [--config FILE]     keys and lights for a board without a screen, as
                                [Panel] of /etc/paced/paced.conf has them; goes on
                                until it is stopped
      schema                    the JSON Schema of every line that paced writes

      --json                    what paced says as it is, one JSON object per line
      --metric, --imperial      kilometres or miles, whatever the setting says
      --runtime-dir DIR         where paced's sockets are (default: /run/paced if a
                                socket is there, else $XDG_RUNTIME_DIR/paced)
      --state-dir DIR           where paced keeps activities (default:
                                /var/lib/paced if a journal is there, else
                                ${XDG_STATE_HOME:-~/.local/state}/paced)
      --version, --help

    Exit status: 0 done, 1 failed, 2 usage, 3 paced is not reachable. doctor ends
    with 0 when all is well, and with 1 when something is to be mended.

    """
