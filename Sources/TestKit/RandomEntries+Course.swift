import Domain

extension RandomEntries {
    mutating func course() -> LoadedCourse {
        LoadedCourse(hash: courseHash(), number: maybe(pick([1, 2, 999])), name: foreign())
    }

    mutating func partner() -> Partner {
        flag() ? .pace(pick([0.1, 0.3125, 2])) : .recorded(LoadedPartner(hash: courseHash(), name: foreign()))
    }

    private mutating func courseHash() -> CourseHash {
        let high: UInt64 = small()
        let low: UInt64 = small()
        return CourseHash(UInt128(high) << 64 | UInt128(low))
    }
}
