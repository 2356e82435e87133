extension LinkService {
    /// What the configuration asks for, besides the broker and rows.
    struct Parts {
        let tracks: OwnTracksSender?
        let uploads: Uploader?
        /// Requests of the broker; nil if none is allowed.
        let commands: LinkCommands?
        let planner: Planner
    }
}
