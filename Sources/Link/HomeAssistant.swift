package import Domain
import JSONCoding

/// The message by which Home Assistant finds the board: one device with an entity of each member of `state`.
///
/// An absent member must become unknown, so its template says `None`: an empty text would keep the old value, and a value that
/// does not come any more expires after `exp_aft`. A part with its platform alone is removed, so that a lower level leaves none.
/// `stat_t` is not at the top, because the tracker would take the raw JSON.
///
/// Source: Home Assistant, "MQTT", "Device discovery payload" (since 2024.11).
package enum HomeAssistant {
    /// Seconds after which a value is unknown, at least.
    private static let expiry = 10

    /// - Parameters:
    ///   - members: those that the message `state` has.
    ///   - tracker: the topic of OwnTracks' locations; nil for none.
    package static func discovery(
        of device: UUID, name: String, members: [LiveMember], interval: Duration, tracker: String?
    ) -> [UInt8] {
        let id = device.description
        let state = "paced/v1/\(id)/state"
        let expiry = max(Self.expiry, Int(interval.components.seconds) * 3)
        var line = JSONWriter(capacity: 4096)
        line.object { line in
            line.object("dev") {
                $0.array("ids") { $0.value(id) }
                $0.member("name", name)
                $0.member("mdl", "paced")
                $0.member("sw", Release.version)
            }
            line.object("o") {
                $0.member("name", "paced-link")
                $0.member("sw", Release.version)
            }
            line.array("avty") { $0.object { $0.member("t", "paced/v1/\(id)/status") } }
            line.object("cmps") { line in
                for member in LiveMember.all {
                    guard let entity = member.entity else { continue }
                    line.object(member.name) {
                        guard members.contains(member) else { return $0.member("p", "sensor") }
                        $0.sensor(member, entity, id: id, state: state, expiry: expiry)
                    }
                }
                if members.contains(where: { $0.name == "run" }) {
                    line.object("running") {
                        $0.binary(
                            "running", "Running", id: id, state: state, expiry: expiry,
                            template: "{{ 'ON' if value_json.run == 'active' else 'OFF' }}")
                    }
                } else {
                    line.object("running") { $0.member("p", "binary_sensor") }
                }
                if members.contains(where: { $0.name == "faults" }) {
                    line.object("fault") {
                        $0.binary(
                            "problem", "Fault", id: id, state: state, expiry: expiry,
                            template: "{{ 'ON' if value_json.faults | default(0) > 0 else 'OFF' }}", entity: "fault")
                    }
                } else {
                    line.object("fault") { $0.member("p", "binary_sensor") }
                }
                line.object("tracker") {
                    $0.member("p", "device_tracker")
                    if let tracker {
                        $0.member("uniq_id", "\(id)_tracker")
                        $0.member("name", "Position")
                        $0.member("json_attr_t", tracker)
                        $0.member(
                            "json_attr_tpl",
                            "{{ {'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.acc} | tojson }}"
                        )
                    }
                }
            }
        }
        return line.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func sensor(
        _ member: LiveMember, _ entity: LiveMember.Entity, id: String, state: String, expiry: Int
    ) {
        self.member("p", "sensor")
        self.member("uniq_id", "\(id)_\(member.name)")
        self.member("name", entity.title)
        self.member("stat_t", state)
        self.member("dev_cla", entity.deviceClass)
        self.member("unit_of_meas", entity.unit)
        self.member("stat_cla", entity.stateClass)
        self.member("sug_dsp_prc", entity.decimals)
        if entity.deviceClass == "enum" {
            array("ops") { for word in ["idle", "active", "paused"] { $0.value(word) } }
        }
        self.member("exp_aft", expiry)
        self.member("val_tpl", "{{ value_json.\(member.name) | default('None') }}")
        if entity.isDiagnostic { self.member("ent_cat", "diagnostic") }
    }

    fileprivate mutating func binary(
        _ deviceClass: String, _ title: String, id: String, state: String, expiry: Int, template: String,
        entity: String = "running"
    ) {
        member("p", "binary_sensor")
        member("uniq_id", "\(id)_\(entity)")
        member("name", title)
        member("stat_t", state)
        member("dev_cla", deviceClass)
        member("exp_aft", expiry)
        member("val_tpl", template)
    }
}
