extension StringProtocol {
    /// Whether the text contains another one, byte for byte. An empty text is contained in every text.
    ///
    /// The standard library's `contains(_: String)`, `replacing` and `trimmingPrefix` link its parser of regular
    /// expressions, which is a tenth of the daemon.
    package func containsText(_ text: String) -> Bool {
        var rest = utf8[...]
        while !rest.starts(with: text.utf8) {
            if rest.popFirst() == nil { return false }
        }
        return true
    }
}
