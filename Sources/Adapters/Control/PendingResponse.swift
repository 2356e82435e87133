package import Outputs

/// The answer to one line, a part of which may be still to come.
package struct PendingResponse {
    /// What a part that comes later goes by.
    package typealias Token = Int

    enum Part {
        /// One response.
        case written([UInt8])
        case awaited(Token, id: JSON)
    }

    /// In the order of the requests.
    private var parts: [Part]
    private let isBatch: Bool
    /// The bytes that results may still take.
    private var spare: Int

    init(_ parts: [Part], isBatch: Bool, spare: Int) {
        self.parts = parts
        self.isBatch = isBatch
        self.spare = spare
    }

    /// Nothing is to come any more.
    package var isWhole: Bool {
        parts.allSatisfy { if case .written = $0 { true } else { false } }
    }

    /// Takes what came of a part; false when it does not belong to this answer.
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

    /// Writes the answer, which must be whole, as one line; nothing where nothing was to be answered.
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
