extension Bool {
    /// A boolean as people write it and as systemd's files have it: `yes`, `true`, `on`, `1`, or their opposites.
    package init?(word: String) {
        switch word.lowercased() {
        case "yes", "true", "on", "1": self = true
        case "no", "false", "off", "0": self = false
        default: return nil
        }
    }
}
