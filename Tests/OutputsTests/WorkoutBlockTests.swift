import Domain
import TestKit
import Testing
import Wire

@Suite struct WorkoutBlockTests {
    @Test(arguments: [
        (
            WorkoutStatus(step: 0, steps: 3, elapsedMilliseconds: 61_500, metres: 203.456, target: .high),
            #"{"steps":3,"step":1,"text":"10 min zone 2 # Warm-up","name":"Warm-up","elapsed_ms":61500,"#
                + #""distance_m":203.46,"remaining_ms":538500,"target":"zone","target_state":"high","next":"1 km"}"#
        ),
        (
            WorkoutStatus(step: 1, steps: 3, elapsedMilliseconds: 100, metres: 250, target: nil),
            #"{"steps":3,"step":2,"text":"1 km","elapsed_ms":100,"distance_m":250,"remaining_m":750,"next":"lap"}"#
        ),
        (
            WorkoutStatus(step: 2, steps: 3, elapsedMilliseconds: 0, metres: 0, target: nil),
            #"{"steps":3,"step":3,"text":"lap","elapsed_ms":0,"distance_m":0}"#
        ),
        (
            WorkoutStatus(step: 3, steps: 3, elapsedMilliseconds: 9, metres: 9, target: nil),
            #"{"steps":3,"done":true}"#
        ),
    ])
    func workoutBlockHasTheStepInProgress(status: WorkoutStatus, block: String) {
        var settings = Settings()
        settings.workout = ["10 min zone 2 # Warm-up", "1 km", "lap"].compactMap { WorkoutStep($0) }
        var state = State.example
        #expect(!withWorkout(state, settings).contains("workout"))
        state.activity?.workout = status
        #expect(withWorkout(state, settings).hasSuffix(#""blocks":{"workout":\#(block)}}"# + "\n"))
    }

    private func withWorkout(_ state: State, _ settings: Settings) -> String {
        var lines = StateLines(settings: settings)
        lines.encode(state, sequence: 7)
        return String(decoding: lines.line(with: .workout), as: UTF8.self)
    }
}
