import Domain
import Testing

struct SentenceTests {
    @Test func wordsAndValuesAreKeptApart() {
        let sentence: Sentence = "course \(3) is loaded: \("unload it")"
        #expect("\(sentence)" == "course 3 is loaded: unload it")
        #expect(sentence.template == "course {1} is loaded: {2}" && sentence.values == ["3", "unload it"])
    }

    @Test func wordsOfAPartStayWords() {
        let part: Sentence = "activity \(7) is on"
        let whole: Sentence = "\(part); nothing is \("deleted")" + "."
        #expect(whole.template == "activity {1} is on; nothing is {2}." && whole.values == ["7", "deleted"])
    }

    @Test func onlyATextWithWordsCanBeTranslated() {
        #expect(("nothing is recorded" as Sentence).hasWords)
        #expect(!Sentence(verbatim: "nothing is recorded").hasWords && !("\(1): \("x")" as Sentence).hasWords)
    }

    @Test func templateAndValuesGiveTheSentence() throws {
        for sentence in ["no value", "\("a {2} b") and \(2)", "\(1)\(2)"] as [Sentence] {
            #expect(Sentence(template: sentence.template, values: sentence.values)?.description == sentence.description)
        }
        #expect(Sentence(template: "{2} before {1}", values: ["a", "b"]) == nil)
        #expect(Sentence(template: "one {1}", values: ["a", "b"]) == nil)
    }
}
