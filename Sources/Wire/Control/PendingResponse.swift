package import JSONCoding

/// The response to one line, of which parts may be deferred.
package struct PendingResponse {
    /// Identifies a deferred part.
    package typealias Token = Int

    enum Part {
        case written([UInt8])
        case awaited(Token, id: JSON)
    }

    /// In the order of the requests.
    private var parts: [Part]
    private let isBatch: Bool
    /// The bytes left for results.
    private var spare: Int

    init(_ parts: [Part], isBatch: Bool, spare: Int) {
        self.parts = parts
        self.isBatch = isBatch
        self.spare = spare
    }

    /// Whether no part is awaited any more.
    package var isWhole: Bool {
        parts.allSatisfy { if case .written = $0 { true } else { false } }
    }

    /// Fills in a deferred part. False if it does not belong to this response.
    package mutating func complete(_ token: Token, _ result: Result<ControlResult, RPCError>) -> Bool {
        for (index, part) in parts.enumerated() {
            guard case .awaited(token, let id) = part else { continue }
            parts[index] = .written(
                JSONRPC.response(to: id, spare: &spare) { line throws(RPCError) in
                    line.result(try result.get())
                })
            return true
        }
        return false
    }

    /// Writes the complete response as one line, or nothing for notifications.
    package func write(into output: inout JSONWriter) {
        if parts.isEmpty { return }
        if isBatch {
            output.array { output in
                for case .written(let response) in parts { output.value(written: response) }
            }
        } else if case .written(let response) = parts[0] {
            output.value(written: response)
        }
        output.newline()
    }
}
