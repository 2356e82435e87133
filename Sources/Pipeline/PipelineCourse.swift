package import Domain

/// The course and the partner of a run.
extension Pipeline {
    mutating func load(_ course: LoadedCourse?, at now: Instant, into effects: inout Effects) {
        guard course != world.course else { return }
        world.course = course
        run?.load(course, in: &world)
        emit(.course(course.map { .loaded($0) } ?? .unloaded), at: now, into: &effects)
        changed(at: now, into: &effects)
    }

    mutating func load(_ partner: Partner?, at now: Instant, into effects: inout Effects) {
        guard partner != self.partner else { return }
        self.partner = partner
        changed(at: now, into: &effects)
    }

    /// The block `course`; without a run on it, where its start is.
    func courseStatus(at now: Instant) -> CourseStatus? {
        guard let loaded = world.course, let course = loaded.course else { return nil }
        let isAbsent = world.position.map { $0.age(at: now) >= Self.absentAge } ?? true
        let position = isAbsent ? nil : world.position?.value
        if let guide = run?.guide { return guide.status(at: now, position: position) }
        var status = CourseStatus(number: loaded.number, name: loaded.name, lengthMetres: course.length)
        status.ascentMetres = course.ascent
        if let position {
            let start = course.place(at: 0, in: LocalPlane(around: position.coordinate))
            status.returnMetres = start.distance
            status.returnBearing = start.direction
        }
        return status
    }

    func partnerStatus(at now: Instant) -> PartnerStatus? {
        guard let partner, let run else { return nil }
        let elapsed = run.elapsedMilliseconds
        return partner.status(
            milliseconds: elapsed, metres: run.metres,
            followed: run.guide?.following(at: now, elapsedMilliseconds: elapsed))
    }
}

extension InputLogEntry {
    /// The hashes of the course and of the partner's curve that the entry names.
    package var courseHashes: (course: CourseHash?, partner: CourseHash?) {
        switch kind {
        case .input(.course(let course)): (course?.hash, nil)
        case .input(.partner(.recorded(let partner)?)): (nil, partner.hash)
        case .snapshot(let snapshot):
            if case .recorded(let partner)? = snapshot.partner {
                (snapshot.course?.hash, partner.hash)
            } else {
                (snapshot.course?.hash, nil)
            }
        default: (nil, nil)
        }
    }

    /// Sets the course and the partner's curve of the hashes that the entry names. A parsed entry has only the hashes.
    package mutating func resolve(course: Course?, partner curve: PartnerCurve?) {
        switch kind {
        case .input(.course(var loaded?)):
            loaded.course = course
            kind = .input(.course(loaded))
        case .input(.partner(.recorded(var partner)?)):
            partner.curve = curve
            kind = .input(.partner(.recorded(partner)))
        case .snapshot(var snapshot):
            snapshot.course?.course = course
            if case .recorded(var partner)? = snapshot.partner {
                partner.curve = curve
                snapshot.partner = .recorded(partner)
            }
            kind = .snapshot(snapshot)
        default: break
        }
    }
}
