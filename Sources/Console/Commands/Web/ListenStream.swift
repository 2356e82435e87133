import Linux

/// An address of a socket unit, with the place of its line.
package struct ListenStream: Equatable {
    package var value: String
    package var file: String
    package var line: Int

    package init(value: String, file: String, line: Int) {
        self.value = value
        self.file = file
        self.line = line
    }

    /// `FILE:LINE`.
    var place: String { "\(file):\(line)" }

    /// The addresses of a unit: those of its file and its drop-ins, in their order. An empty one removes those before it.
    ///
    /// Source: systemd.socket(5).
    package static func list(of files: [(path: String, text: String)]) -> [ListenStream] {
        var list: [ListenStream] = []
        for (path, text) in files {
            for assignment in (try? ConfigurationFile.read(Array(text.utf8), path: path)) ?? []
            where assignment.section == "Socket" && assignment.key == "ListenStream" {
                if assignment.value.isEmpty {
                    list = []
                } else {
                    list.append(ListenStream(value: assignment.value, file: path, line: assignment.line))
                }
            }
        }
        return list
    }

    /// The first address of the list that contains, or is, one before it: the kernel refuses the second of them.
    package static func conflict(in list: [ListenStream]) -> (first: ListenStream, second: ListenStream)? {
        for (index, second) in list.enumerated() {
            if let first = list[..<index].first(where: { $0.overlaps(second) }) { return (first, second) }
        }
        return nil
    }

    private func overlaps(_ other: ListenStream) -> Bool {
        let (own, others) = (parts, other.parts)
        guard own.port == others.port, UInt16(own.port) != nil else { return false }
        return own.host == others.host || own.isAny || others.isAny
    }

    /// A number alone is a port at all addresses.
    private var parts: (host: Substring, port: Substring, isAny: Bool) {
        guard let colon = value.lastIndex(of: ":") else { return ("", value[...], true) }
        let host = value[..<colon]
        return (host, value[value.index(after: colon)...], ["0.0.0.0", "[::]", "*"].contains(host))
    }
}
