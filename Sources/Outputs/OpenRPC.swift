import Domain

/// The OpenRPC document of control.sock: which methods there are, what they take and what they give.
///
/// Source: OpenRPC Specification 1.3.2, https://spec.open-rpc.org.
package enum OpenRPC {
    /// One line without its newline.
    package static let document = """
        {"openrpc":"1.3.2",\
        "info":{"title":"paced control socket","version":"\(Release.version)",\
        "description":"JSON-RPC 2.0, one object per line, at most 64 KiB. Parameters go by name."},\
        "methods":[\
        \(method("run.start", "Begins an activity.", [sport, indoor, back], "activity", activity, [refused, invalid])),\
        \(method("run.toggle", "Starts, pauses or resumes, whichever is possible.", [], "run", run, [])),\
        \(method("run.pause", "Pauses the run.", [], "run", run, [refused])),\
        \(method("run.resume", "Goes on with a paused run.", [], "run", run, [refused])),\
        \(method("run.lap", lapSummary, [], "run", run, [refused])),\
        \(method("run.stop", "Ends the activity and keeps it.", [], "summary", summary, [refused])),\
        \(method("run.discard", "Ends the activity and deletes it.", [], "summary", summary, [refused])),\
        \(method("status", "The present state, as in the lines of class STATE.", [], "state", state, [])),\
        \(method("settings.get", "All settings, or one.", [optionalKey], "settings or value", any, [invalid])),\
        \(method("settings.set", "Changes one setting.", [key, value], "value", any, [invalid])),\
        \(scan),\
        \(method("strap.use", "Says which strap is used.", [strap, addressType, add], "link", link, [invalid])),\
        \(pair),\
        \(method("strap.forget", "Forgets a strap, or all.", [optionalStrap], "nothing", none, [notFound, invalid])),\
        \(activities)\
        \(method("rpc.discover", "This document.", [], "OpenRPC document", object, []))\
        ],\
        "components":{"schemas":{\
        "Run":{"type":"object","required":["run","elapsed_ms"],"properties":{\
        "run":{"enum":["idle","active","paused"]},"elapsed_ms":{"type":"integer","minimum":0,"multipleOf":100}}},\
        "Summary":{"type":"object",\
        "required":["sport","open","elapsed_ms","total_ms","distance_m","laps","gaps"],"properties":{\
        "id":{"type":"integer","minimum":1},"sport":\(sports),"name":\(text),"open":{"type":"boolean"},\
        "started":{"type":"string","format":"date-time"},"ended":{"type":"string","format":"date-time"},\
        "elapsed_ms":{"type":"integer"},"total_ms":{"type":"integer"},"distance_m":{"type":"number"},\
        "average_pace_s_per_m":{"type":"number"},"laps":{"type":"integer"},"gaps":{"type":"integer"},\
        "average_bpm":{"type":"integer"},"max_bpm":{"type":"integer"},"demo":{"const":true},\
        "recovered":{"type":"object","description":"Copied from a damaged journal.","properties":{\
        "id":\(number),"lost_rows":\(number)}}}}},\
        "errors":{\
        "refused":{"code":-32001,"message":"not in this state"},\
        "busy":{"code":-32002,"message":"busy"},\
        "notFound":{"code":-32003,"message":"not found"},\
        "invalid":{"code":-32004,"message":"invalid value"}}}}
        """

    private static let lapSummary = "Closes the lap and begins the next. Refused within 1 s of the last lap."

    private static func method(
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
        {"name":"sport","summary":"The setting sport where it is absent.","schema":\(sports)}
        """
    private static let indoor = #"{"name":"indoor","summary":"No position is used.","schema":{"type":"boolean"}}"#
    private static let back = """
        {"name":"ago_ms","summary":"How much earlier the activity began; 0 where it is absent.",\
        "schema":{"type":"integer","minimum":0,"maximum":120000}}
        """
    private static let keys = SettingKey.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
    private static let key = #"{"name":"key","required":true,"schema":{"enum":[\#(keys)]}}"#
    private static let optionalKey = #"{"name":"key","schema":{"enum":[\#(keys)]}}"#
    private static let value = #"{"name":"value","summary":"The whole value.","required":true,"schema":true}"#

    private static let seconds = """
        {"name":"seconds","summary":"10 where it is absent.","schema":{"type":"integer","minimum":1,"maximum":60}}
        """
    private static let strapSummary = "An address, a name, or the end of a name as printed on the strap"
    private static let strap = """
        {"name":"strap","summary":"\(strapSummary); auto, or off.","required":true,"schema":\(text)}
        """
    private static let optionalStrap = #"{"name":"strap","summary":"\#(strapSummary).","schema":\#(text)}"#
    private static let addressType = """
        {"name":"address_type","summary":"With an address.","schema":{"enum":["public","random"]}}
        """
    private static let add = #"{"name":"add","summary":"The others stay ours.","schema":{"type":"boolean"}}"#
    private static let text = #"{"type":"string","minLength":1,"maxLength":64}"#
    private static let none = #"{"type":"null"}"#
    private static let link =
        #"{"type":"object","required":["link"],"properties":{"link":{"type":"string"},"reason":{"type":"string"}}}"#
    private static let straps = """
        {"type":"array","maxItems":64,"items":{"type":"object","required":["address","address_type","services"],\
        "properties":{"address":{"type":"string"},"address_type":{"enum":["public","random"]},\
        "name":{"type":"string"},"rssi_dbm":{"type":"integer"},\
        "services":{"type":"array","items":{"type":"string"}}}}}
        """

    private static let activity =
        #"{"type":"object","properties":{"activity":{"type":"integer","minimum":1}}}"#
    private static let run = ##"{"$ref":"#/components/schemas/Run"}"##
    private static let summary = ##"{"$ref":"#/components/schemas/Summary"}"##
    private static let state = #"{"type":"object","required":["class","run"],"properties":{"class":{"const":"STATE"}}}"#
    private static let object = #"{"type":"object"}"#
    private static let any = "true"

    private static let refused = ##"{"$ref":"#/components/errors/refused"}"##
    private static let scan = method(
        "strap.scan", "Hears which straps there are; answered when it is over.", [seconds], "straps", straps,
        [refused, busy, invalid])

    private static let pair = method(
        "strap.pair", "Pairs with a strap; answered when that is done, after 60 s at most.", [pairedStrap], "nothing",
        none, [refused, busy, notFound, invalid])
    private static let pairedStrap = """
        {"name":"strap","summary":"\(strapSummary).","required":true,"schema":\(text)}
        """

    private static let activities = [
        method("activities.list", "Summaries, the newest first.", [limit, before], "summaries", summaries, slow),
        method(
            "activities.get", "Summary, laps and time in zones.", [id, fromLap], "activity", object, slow + [notFound]),
        method(
            "activities.edit", "Changes the name or the sport; answered when it is written.", [id, newSport, name],
            "summary", summary, slow + [refused, notFound]),
        method(
            "activities.delete", "Deletes an activity for good; answered when it is written.", [id], "nothing", none,
            slow + [refused, notFound]),
        method(
            "activities.recover",
            "Copies what can be read of a damaged journal in the background; answered when that is noted.", [file],
            "nothing", none, slow + [notFound]),
        method(
            "activities.track", "Samples as a table.", [optionalID, from, every, fields], "track", track,
            slow + [refused, notFound]),
    ].map { $0 + "," }.joined()
    private static let slow = [busy, invalid]
    private static let number = #"{"type":"integer","minimum":1}"#
    private static let id = #"{"name":"id","required":true,"schema":\#(number)}"#
    private static let optionalID =
        #"{"name":"id","summary":"The present run where it is absent.","schema":\#(number)}"#
    private static let limit = """
        {"name":"limit","summary":"20 where it is absent.","schema":{"type":"integer","minimum":1,"maximum":100}}
        """
    private static let before = #"{"name":"before","summary":"Only lower numbers.","schema":\#(number)}"#
    private static let file = """
        {"name":"file","summary":"A name in the state directory.","required":true,"schema":{"type":"string"}}
        """
    private static let fromLap = #"{"name":"from_lap","summary":"The first lap.","schema":\#(number)}"#
    private static let newSport = #"{"name":"sport","schema":\#(sports)}"#
    private static let name = #"{"name":"name","schema":\#(text)}"#
    private static let from = """
        {"name":"from_ms","summary":"Since the activity began; 0 where it is absent.",\
        "schema":{"type":"integer","minimum":0}}
        """
    private static let every = """
        {"name":"interval_ms","summary":"1000 where it is absent.",\
        "schema":{"type":"integer","minimum":1000,"maximum":3600000}}
        """
    private static let columns = Track.Column.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
    private static let fields = """
        {"name":"fields","summary":"The columns.","schema":{"type":"array","minItems":1,"uniqueItems":true,\
        "items":{"enum":[\(columns)]}}}
        """
    private static let summaries = #"{"type":"array","maxItems":100,"items":\#(summary)}"#
    private static let track = """
        {"type":"object","required":["columns","rows"],"properties":{"columns":{"type":"array"},\
        "rows":{"type":"array","items":{"type":"array"}},"next_ms":{"type":"integer"}}}
        """

    private static let busy = ##"{"$ref":"#/components/errors/busy"}"##
    private static let notFound = ##"{"$ref":"#/components/errors/notFound"}"##
    private static let invalid = ##"{"$ref":"#/components/errors/invalid"}"##
}
