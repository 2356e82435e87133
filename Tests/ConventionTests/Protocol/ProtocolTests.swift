import Foundation
import Testing
import Wire

/// docs/protocol.md, `pacectl schema` and `rpc.discover` agree on each field, parameter and error, in both directions.
@Suite struct ProtocolTests {
    private let page: ProtocolPage
    private let schema: ProtocolSchema
    private let document: [String: Any]
    /// The methods of all sockets; those of code.sock are among those of admin.sock.
    private let methods: [[String: Any]]

    init() throws {
        page = try ProtocolPage()
        schema = try ProtocolSchema(Schema.text)
        let object = try JSONSerialization.jsonObject(with: Data(ControlRequest.table.document))
        document = try #require(object as? [String: Any])
        let documents = [
            ControlRequest.table.document, TopicRequest.table.document, SensorDoorRequest.table.document,
            NetworkRequest.table.document, WebRequest.adminTable.document, LinkRequest.table.document,
        ]
        methods = try documents.flatMap { text in
            let object = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
            return try #require(object?["methods"] as? [[String: Any]])
        }
    }

    @Test func schemaHasTheFieldsOfThePage() {
        #expect(page.fields.count > 150)
        for name in Set(schema.properties.keys).subtracting(page.fields.keys) {
            Issue.record("only the schema has \(name)")
        }
        for name in Set(page.fields.keys).subtracting(schema.properties.keys) {
            Issue.record("only the page has \(name)")
        }
    }

    @Test func fieldHasOneTypeUnitAndDescription() {
        for (name, row) in page.fields {
            guard let property = schema.properties[name] else { continue }
            #expect(row.type == property.type, "\(name)")
            #expect(row.meaning == property.description, "\(name)")
            #expect((row.when == "always") == property.isRequired, "\(name)")
        }
        for (name, row) in page.fields.merging(page.parameters, uniquingKeysWith: { one, _ in one }) {
            if let unit = Self.unit(of: name.field) { #expect(row.unit == unit, "\(name)") }
        }
    }

    /// The unit in a field's name; nil if it has none.
    private static func unit(of field: String) -> String? {
        let units = [
            ("_s_per_m", "s/m"), ("_mps", "m/s"), ("_ms", "ms"), ("_mib", "MiB"), ("_m", "m"), ("_s", "s"),
            ("_percent", "%"), ("_deg", "°"), ("_kj", "kJ"), ("_dbm", "dBm"), ("bpm", "bpm"), ("_minutes", "min"),
        ]
        return units.first { field.hasSuffix($0.0) }?.1
    }

    @Test func openRPCDocumentHasTheMethodsOfThePage() throws {
        #expect(Set(methods.compactMap { $0["name"] as? String }) == Set(page.methods.keys))
        for method in methods {
            let name = try #require(method["name"] as? String)
            let entry = try #require(page.methods[name])
            #expect(method["summary"] as? String == entry.summary, "\(name)")
            let errors = try (method["errors"] as? [[String: String]] ?? []).map { try code(of: $0) }
            #expect(Set(errors) == entry.errors, "\(name)")
        }
    }

    @Test func parameterHasOneTypeAndDescription() throws {
        var known: Set<ProtocolPage.Name> = []
        for method in methods {
            for parameter in try #require(method["params"] as? [[String: Any]]) {
                let name = ProtocolPage.Name(
                    owner: try #require(method["name"] as? String), field: try #require(parameter["name"] as? String))
                known.insert(name)
                let row = try #require(page.parameters[name], "\(name)")
                let type = (parameter["schema"] as? [String: Any]).map { schema.type(of: $0) } ?? "any"
                #expect(row.type == type, "\(name)")
                #expect(row.meaning == parameter["summary"] as? String, "\(name)")
                #expect((row.when == "required") == (parameter["required"] as? Bool ?? false), "\(name)")
            }
        }
        #expect(known == Set(page.parameters.keys))
    }

    @Test func errorsMatchInThePageSchemaAndDocument() throws {
        let text = Schema.text
        for (code, message) in page.errors {
            #expect(text.contains("\(code)") && text.contains("\"\(message)\""), "\(code)")
        }
        #expect(page.errors.count == text.matches(of: #/-32\d\d\d/#).count)
        let components = try #require(document["components"] as? [String: Any])
        for error in try #require(components["errors"] as? [String: [String: Any]]).values {
            #expect(page.errors[try #require(error["code"] as? Int)] == error["message"] as? String)
        }
    }

    /// An object of the OpenRPC document has the properties of the one in the schema.
    @Test(arguments: [
        ("run.start", "run.start"), ("run.pause", "run.pause"), ("run.stop", "summary"), ("sensor.use", "link"),
        ("sensor.scan", "sensor.scan"), ("activities.list", "summary"), ("activities.track", "activities.track"),
        ("upload.begin", "upload.begin"), ("upload.append", "upload.begin"), ("upload.commit", "upload.commit"),
        ("course.list", "course"), ("course.load", "course"),
        ("course.profile", "course.profile"), ("partner.get", "partner.get"),
        ("weather.at", "weather.at"),
        ("route.find", "route.find"), ("route.course", "route.course"),
        ("link.status", "link.status"),
    ])
    func resultHasTheFieldsOfThePage(method: String, object: String) throws {
        let result = try #require(methods.first { $0["name"] as? String == method }?["result"] as? [String: Any])
        var node = try #require(result["schema"] as? [String: Any])
        if let first = (node["anyOf"] as? [[String: Any]])?.first { node = first }
        if let items = node["items"] as? [String: Any] { node = items }
        if let name = (node["$ref"] as? String)?.split(separator: "/").last {
            let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
            node = try #require(schemas?[String(name)])
        }
        let names = try #require(node["properties"] as? [String: Any]).keys
        #expect(Set(names) == Set(page.fields.keys.filter { $0.owner == object }.map(\.field)))
    }

    private func code(of reference: [String: String]) throws -> Int {
        let name = try #require(reference["$ref"]?.split(separator: "/").last)
        let errors = (document["components"] as? [String: Any])?["errors"] as? [String: [String: Any]]
        return try #require(errors?[String(name)]?["code"] as? Int)
    }
}
