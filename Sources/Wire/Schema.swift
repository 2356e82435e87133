/// The JSON Schema (2020-12) of every line that the two sockets send: `schema.json` beside this file.
///
/// Classes differ by `class`; a line without one is a response of control.sock. Unknown members may occur.
package enum Schema {
    package static let text = String(decoding: PackageResources.schema_json, as: UTF8.self)
}
