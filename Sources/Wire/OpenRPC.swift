import Domain

/// The OpenRPC documents of control.sock, publish.sock and net.sock: their methods with their parameters, results and errors.
///
/// Source: OpenRPC Specification 1.3.2, https://spec.open-rpc.org.
package enum OpenRPC {
    /// The document of control.sock, one line without a newline.
    package static let document = """
        {"openrpc":"1.3.2",\
        "info":{"title":"paced control socket","version":"\(Release.version)",\
        "description":"JSON-RPC 2.0, one object per line, at most 64 KiB. Parameters go by name."},\
        "methods":[\
        \(method("run.start", "Starts an activity.", [sport, indoor, back], "activity", activity, [refused, invalid])),\
        \(method("run.toggle", toggleSummary, [], "run", run, [])),\
        \(method("run.pause", "Pauses the run.", [], "run", run, [refused])),\
        \(method("run.resume", "Resumes a paused run.", [], "run", run, [refused])),\
        \(method("run.lap", lapSummary, [], "run", run, [refused])),\
        \(method("run.stop", "Stops the run and keeps the activity.", [], "summary", summary, [refused])),\
        \(method("run.discard", "Stops the run and deletes the activity.", [], "summary", summary, [refused])),\
        \(method("status", "Returns the present STATE.", [], "state", state, [])),\
        \(method("settings.get", "Returns all settings, or one.", [optionalKey], "settings or value", any, [invalid])),\
        \(method("settings.set", setSummary, [key, value], "value", any, [invalid])),\
        \(scan),\
        \(method("sensor.use", "Selects the sensor to use.", [sensor, addressType, add], "link", link, [invalid])),\
        \(pair),\
        \(zero),\
        \(method("sensor.forget", forgetSummary, [optionalSensor], "nothing", none, [notFound, invalid])),\
        \(activities)\
        \(discover)\
        ],\
        "x-data-fields":[\(dataFields)],\
        "components":{"schemas":{\
        "Run":{"type":"object","required":["run","elapsed_ms"],"properties":{\
        "run":{"enum":["idle","active","paused"]},"elapsed_ms":{"type":"integer","minimum":0,"multipleOf":100}}},\
        "Summary":{"type":"object",\
        "required":["sport","open","elapsed_ms","total_ms","distance_m","laps","gaps"],"properties":{\
        "id":{"type":"integer","minimum":1},"sport":\(sports),"name":\(text),"open":{"type":"boolean"},\
        "started":{"type":"string","format":"date-time"},"time_guessed":{"const":true},"ended":{"type":"string","format":"date-time"},\
        "elapsed_ms":{"type":"integer"},"total_ms":{"type":"integer"},"moving_ms":{"type":"integer"},\
        "auto_paused_ms":{"type":"integer"},"distance_m":{"type":"number"},"average_pace_s_per_m":{"type":"number"},\
        "average_moving_pace_s_per_m":{"type":"number"},"average_grade_adjusted_pace_s_per_m":{"type":"number"},\
        "max_speed_mps":{"type":"number"},\
        "laps":{"type":"integer"},"gaps":{"type":"integer"},\
        "average_bpm":{"type":"integer"},"max_bpm":{"type":"integer"},"energy_kcal":{"type":"integer"},\
        "trimp":{"type":"number"},"average_power_w":{"type":"integer"},\
        "max_power_w":{"type":"integer"},"normalized_power_w":{"type":"integer"},"work_j":{"type":"integer"},\
        "average_cadence_rpm":{"type":"integer"},"max_cadence_rpm":{"type":"integer"},\
        "ascent_m":{"type":"number"},"descent_m":{"type":"number"},"ascent_error_m":{"type":"integer"},\
        "ascent_source":{"enum":["barometer","receiver"]},"demo":{"const":true},\
        "recovered":{"type":"object","description":"Copied from a damaged journal.","properties":{\
        "id":\(number),"lost_rows":\(number)}}}}},\
        "errors":\(errors)}}
        """

    /// The document of publish.sock, one line without a newline.
    package static let publishDocument = """
        {"openrpc":"1.3.2",\
        "info":{"title":"paced publish socket","version":"\(Release.version)",\
        "description":"JSON-RPC 2.0, one object per line, at most 64 KiB. Parameters go by name. Lines with a class are DEMAND."},\
        "methods":[\
        \(method("topic.publish", publishSummary, [topic, topicData, validUntil, source], "nothing", none, [busy, invalid])),\
        \(method("topic.retract", "Removes the data of a topic.", [topic], "nothing", none, [notFound, invalid])),\
        \(method("notice", "Publishes a message to the user as an EVENT.", [topic, noticeKey, noticeText], "nothing", none, [busy, invalid])),\
        \(discover)\
        ],\
        "components":{"errors":\(errors)}}
        """

    static let errors = """
        {"refused":{"code":-32001,"message":"not in this state"},\
        "busy":{"code":-32002,"message":"busy"},\
        "notFound":{"code":-32003,"message":"not found"},\
        "invalid":{"code":-32004,"message":"invalid value"},\
        "failed":{"code":-32005,"message":"server failed"}}
        """
    static let discover = method(
        "rpc.discover", "Returns the OpenRPC document of these methods.", [], "OpenRPC document", object, [])

    private static let publishSummary = "Publishes the data of a topic, in place of the data before."
    private static let topic = """
        {"name":"topic","summary":"The name of the topic: weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -.","required":true,\
        "schema":{"type":"string","maxLength":32}}
        """
    private static let topicData = """
        {"name":"data","summary":"Any object, at most \(TopicTable.dataLimit) bytes as compact JSON.","required":true,\
        "schema":{"type":"object"}}
        """
    private static let validUntil = """
        {"name":"valid_until","summary":"When the data becomes stale, at most 7 days ahead. Default in 10 minutes.",\
        "schema":{"type":"string","format":"date-time"}}
        """
    private static let source = """
        {"name":"source","summary":"Where the data comes from, for users, 1 to 64 characters.","schema":\(text)}
        """
    private static let noticeKey = """
        {"name":"key","summary":"The kind of message, for programs: 1 to 32 of a-z, 0-9 and -.","required":true,\
        "schema":{"type":"string","pattern":"^[a-z0-9-]{1,32}$"}}
        """
    private static let noticeText = """
        {"name":"text","summary":"The message, 1 to 64 characters.","required":true,"schema":\(text)}
        """

    /// The table of data fields, in the order of their names' declaration.
    private static let dataFields = DataField.allCases.map { field in
        """
        {"name":"\(field.rawValue)","title":"\(field.title)","unit":"\(field.unit.rawValue)",\
        "format":"\(field.format.rawValue)","source":"\(field.source.rawValue)",\
        "sports":[\(field.sports.map { "\"\($0.rawValue)\"" }.joined(separator: ","))],"description":"\(field.text)"}
        """
    }.joined(separator: ",")

    private static let setSummary =
        "Changes one setting, or brings its default back. It is in force at once and survives a restart."
    private static let forgetSummary = "Forgets a sensor and its key, or all."
    private static let toggleSummary = "Starts, pauses or resumes, whichever is possible. For a device with one button."
    private static let lapSummary = "Closes the lap and starts the next one. Rejected within 1 s of the last lap."

    static func method(
        _ name: String, _ summary: String, _ parameters: [String], _ resultName: String, _ result: String,
        _ errors: [String]
    ) -> String {
        """
        {"name":"\(name)","summary":"\(summary)","paramStructure":"by-name",\
        "params":[\(parameters.joined(separator: ","))],\
        "result":{"name":"\(resultName)","schema":\(result)},"errors":[\(errors.joined(separator: ","))]}
        """
    }

    private static let sports = #"{"enum":["run","walk","hike","ride","other"]}"#
    private static let sport = """
        {"name":"sport","summary":"The sport; the setting sport if it is absent.","schema":\(sports)}
        """
    private static let indoor =
        #"{"name":"indoor","summary":"No position is used. Default false.","schema":{"type":"boolean"}}"#
    private static let back = """
        {"name":"ago_ms",\
        "summary":"How much earlier the activity began, 0 to 120000. What was measured meanwhile is kept. Default 0.",\
        "schema":{"type":"integer","minimum":0,"maximum":120000}}
        """
    private static let keys = SettingKey.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
    private static let key = #"{"name":"key","summary":"The setting.","required":true,"schema":{"enum":[\#(keys)]}}"#
    private static let optionalKey =
        #"{"name":"key","summary":"The setting; all if it is absent.","schema":{"enum":[\#(keys)]}}"#
    private static let value = """
        {"name":"value","summary":"The whole new value; null brings the default back.","required":true,"schema":true}
        """

    private static let seconds = """
        {"name":"seconds","summary":"How long it listens, 1 to 60. Default 10.",\
        "schema":{"type":"integer","minimum":1,"maximum":60}}
        """
    private static let sensorSummary = "An address, a name, or the end of a name as printed on the device"
    private static let sensor = """
        {"name":"sensor","summary":"\(sensorSummary); auto for the known one or any near one; off for none.",\
        "required":true,"schema":\(text)}
        """
    private static let optionalSensor =
        #"{"name":"sensor","summary":"\#(sensorSummary); all if it is absent.","schema":\#(text)}"#
    private static let addressType = """
        {"name":"address_type","summary":"The kind of address, with an address.","schema":{"enum":["public","random"]}}
        """
    private static let add = """
        {"name":"add","summary":"Keep the sensors that are selected. Default false.","schema":{"type":"boolean"}}
        """
    private static let text = #"{"type":"string","minLength":1,"maxLength":64}"#
    private static let none = #"{"type":"null"}"#
    private static let link =
        #"{"type":"object","required":["link"],"properties":{"link":{"type":"string"},"reason":{"type":"string"}}}"#
    private static let sensors = """
        {"type":"array","maxItems":64,"items":{"type":"object","required":["address","address_type","kinds","services"],\
        "properties":{"address":{"type":"string"},"address_type":{"enum":["public","random"]},\
        "name":{"type":"string"},"rssi_dbm":{"type":"integer"},\
        "kinds":{"type":"array","items":{"type":"string"}},"services":{"type":"array","items":{"type":"string"}}}}}
        """

    private static let activity =
        #"{"type":"object","properties":{"activity":{"type":"integer","minimum":1}}}"#
    private static let run = ##"{"$ref":"#/components/schemas/Run"}"##
    private static let summary = ##"{"$ref":"#/components/schemas/Summary"}"##
    private static let state = #"{"type":"object","required":["class","run"],"properties":{"class":{"const":"STATE"}}}"#
    static let object = #"{"type":"object"}"#
    private static let any = "true"

    static let refused = ##"{"$ref":"#/components/errors/refused"}"##
    private static let scan = method(
        "sensor.scan",
        "Listens for sensors and returns those heard, the nearest first. One scan runs at a time.", [seconds],
        "sensors",
        sensors,
        [refused, busy, invalid])

    private static let pair = method(
        "sensor.pair",
        "Pairs with a sensor that requires it. The answer comes when that is done, after 60 s at most.", [pairedSensor],
        "nothing",
        none, [refused, busy, notFound, invalid])
    private static let zero = method(
        "sensor.zero",
        "Sets the zero offset of a power meter. The answer comes when that is done, after 35 s at most.",
        [zeroedSensor], "offset", object, [refused, busy, notFound, invalid])
    private static let zeroedSensor = """
        {"name":"sensor","summary":"\(sensorSummary); the only connected power meter if it is absent.","schema":\(text)}
        """
    private static let pairedSensor = """
        {"name":"sensor","summary":"\(sensorSummary).","required":true,"schema":\(text)}
        """

    private static let activities = [
        method(
            "activities.list", "Returns summaries, the newest first.", [limit, before], "summaries", summaries, slow),
        method(
            "activities.get", "Returns one activity with its laps, its sensors and its time in zones.", [id, fromLap],
            "activity", object, slow + [notFound]),
        method(
            "activities.edit", "Changes the name, the sport or the start. The answer comes when it is on the disk.",
            [id, newSport, name, started], "summary", summary, slow + [refused, notFound]),
        method(
            "activities.delete", "Deletes an activity for good. The answer comes when that is on the disk.", [endedID],
            "nothing", none, slow + [refused, notFound]),
        method(
            "activities.recover",
            "Copies what can be read of a damaged journal, in the background. The answer comes when the file is noted.",
            [file],
            "nothing", none, slow + [notFound]),
        method(
            "activities.track", "Returns samples of an activity as a table.", [optionalID, from, every, fields],
            "track", track,
            slow + [refused, notFound]),
        method(
            "course.list", "Returns the courses, the newest first.", [limit, beforeCourse], "courses", courses, slow),
        method(
            "course.load",
            "Loads a course, also during a run. The answer comes when that is on the disk.", [courseID], "course",
            course, slow + [notFound]),
        method(
            "course.unload", "Unloads the course. The answer comes when that is on the disk.", [], "nothing", none,
            [refused, busy]),
        method(
            "course.delete", "Deletes a course that is not loaded. Activities on it keep it.", [courseID], "nothing",
            none, slow + [refused, notFound]),
        method(
            "course.rename", "Renames a course.", [courseID, courseName], "course", course, slow + [notFound]),
        method(
            "course.partner", "Sets the virtual partner; without a parameter there is none.",
            [partnerPace, partnerActivity, partnerOnCourse], "nothing", none, [refused] + slow + [notFound]),
        method(
            "partner.get", "Returns the virtual partner.", [], "partner", partner, [invalid]),
        method(
            "course.profile", "Returns samples of the loaded course at equal distances.", [profilePoints], "profile",
            profile, [refused, invalid]),
        method(
            "upload.begin", "Begins to hand over a file. One upload a connection, two at once.", [kind, replaces],
            "size",
            uploaded,
            [refused, busy, invalid]),
        method(
            "upload.append", "Appends bytes to the upload of this connection.", [data], "size", uploaded,
            [refused, busy, invalid]),
        method(
            "upload.commit", "Imports the data of the upload. The answer comes when it is on the disk.", [],
            "number", imported, [refused, busy, invalid]),
    ].map { $0 + "," }.joined()
    private static let slow = [busy, invalid]
    private static let kind = """
        {"name":"kind","summary":"What the data is.","required":true,"schema":{"enum":["activity","course"]}}
        """
    private static let replaces = """
        {"name":"replaces","summary":"The imported activity whose number and name the new one takes.","schema":\(number)}
        """
    private static let data = """
        {"name":"data","summary":"The next bytes, 1 to \(UploadRequest.appendLimit), in base64 with padding.",\
        "required":true,"schema":{"type":"string","minLength":4,"maxLength":61440}}
        """
    private static let uploaded =
        #"{"type":"object","required":["bytes"],"properties":{"bytes":{"type":"integer","minimum":0}}}"#
    private static let imported = """
        {"type":"object","required":["id"],"properties":{"id":\(number),"present":{"const":true}}}
        """
    private static let course = """
        {"type":"object","required":["id","added","length_m","climbs","points","vertices"],"properties":{\
        "id":\(number),"name":\(text),"sport":\(sports),"added":{"type":"string","format":"date-time"},\
        "length_m":{"type":"number"},"ascent_m":{"type":"number"},"climbs":{"type":"integer"},\
        "points":{"type":"integer"},"vertices":{"type":"integer"},"loaded":{"const":true}}}
        """
    private static let courses = #"{"type":"array","maxItems":100,"items":\#(course)}"#
    private static let courseID =
        #"{"name":"id","summary":"The course's number.","required":true,"schema":\#(number)}"#
    private static let courseName =
        #"{"name":"name","summary":"The new name, 1 to 64 characters.","required":true,"schema":\#(text)}"#
    private static let beforeCourse =
        #"{"name":"before","summary":"The number of a course: only lower ones.","schema":\#(number)}"#
    private static let profilePoints = """
        {"name":"points","summary":"The number of samples, 2 to 500. Default 200.",\
        "schema":{"type":"integer","minimum":2,"maximum":500}}
        """
    private static let profile = """
        {"type":"object","required":["length_m","distance_m","climbs"],"properties":{"length_m":{"type":"number"},\
        "distance_m":{"type":"array","items":{"type":"number"}},"altitude_m":{"type":"array","items":{"type":"number"}},\
        "climbs":{"type":"array","items":{"type":"object","required":["start_m","top_m","ascent_m"],"properties":{\
        "start_m":{"type":"number"},"top_m":{"type":"number"},"ascent_m":{"type":"number"}}}}}}
        """
    private static let partner = """
        {"type":"object","required":["kind"],"properties":{"kind":{"enum":["none","pace","activity"]},\
        "pace_s_per_m":{"type":"number"},"name":\(text),"on_course":{"const":true}}}
        """
    private static let partnerPace = """
        {"name":"pace_s_per_m","summary":"The pace that it keeps, 0.01 to 36.",\
        "schema":{"type":"number","minimum":0.01,"maximum":36}}
        """
    private static let partnerActivity = """
        {"name":"activity","summary":"The number of the activity that it repeats.","schema":\(number)}
        """
    private static let partnerOnCourse = """
        {"name":"on_course","summary":"The activity is repeated by its progress on the loaded course, not by distance. \
        Default false.","schema":{"type":"boolean"}}
        """
    private static let number = #"{"type":"integer","minimum":1}"#
    private static let id =
        #"{"name":"id","summary":"The activity's number.","required":true,"schema":\#(number)}"#
    private static let endedID = """
        {"name":"id","summary":"The activity's number; not that of the activity in progress.","required":true,\
        "schema":\(number)}
        """
    private static let optionalID =
        #"{"name":"id","summary":"The activity's number; the one in progress if it is absent.","schema":\#(number)}"#
    private static let limit = """
        {"name":"limit","summary":"At most this many, 1 to 100. Default 20.",\
        "schema":{"type":"integer","minimum":1,"maximum":100}}
        """
    private static let before =
        #"{"name":"before","summary":"The number of an activity: only older ones in this order.","schema":\#(number)}"#
    private static let file = """
        {"name":"file","summary":"The name of a file in the state directory: journal-DATE.damaged.sqlite.",\
        "required":true,"schema":{"type":"string"}}
        """
    private static let fromLap =
        #"{"name":"from_lap","summary":"The first lap to return. Default 1.","schema":\#(number)}"#
    private static let newSport =
        #"{"name":"sport","summary":"The new sport; not of the activity in progress.","schema":\#(sports)}"#
    private static let started = """
        {"name":"started","summary":"The new start with its zone, 2000 to 2099; not of the activity in progress.",\
        "schema":{"type":"string","format":"date-time"}}
        """
    private static let name =
        #"{"name":"name","summary":"The new name, 1 to 64 characters.","schema":\#(text)}"#
    private static let from = """
        {"name":"from_ms","summary":"The first moment, since the activity started. Default 0.",\
        "schema":{"type":"integer","minimum":0}}
        """
    private static let every = """
        {"name":"interval_ms","summary":"One sample in each interval, 1000 to 3600000. Default 1000.",\
        "schema":{"type":"integer","minimum":1000,"maximum":3600000}}
        """
    private static let columns = Track.Column.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
    private static let fields = """
        {"name":"fields","summary":"The columns; the first eight of the list if it is absent.",\
        "schema":{"type":"array","minItems":1,"uniqueItems":true,\
        "items":{"enum":[\(columns)]}}}
        """
    private static let summaries = #"{"type":"array","maxItems":100,"items":\#(summary)}"#
    private static let track = """
        {"type":"object","required":["columns","rows"],"properties":{"columns":{"type":"array"},\
        "rows":{"type":"array","items":{"type":"array"}},"next_ms":{"type":"integer"}}}
        """

    static let busy = ##"{"$ref":"#/components/errors/busy"}"##
    static let notFound = ##"{"$ref":"#/components/errors/notFound"}"##
    static let invalid = ##"{"$ref":"#/components/errors/invalid"}"##
}
