package import Domain
import Glibc

/// A failed call of the kernel or of libsystemd.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Name of the call, as its man page is named.
    package var call: StaticText
    /// The error number, positive.
    package var code: Int32

    package init(_ call: StaticText, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String {
        "\(call.text): \(Self.text(of: code))"
    }

    private static func text(of code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

/// Runs a call that returns −1 and sets `errno`; repeats it after EINTR.
package func check<Result: SignedInteger>(_ call: StaticText, _ body: () -> Result) throws(SystemError) -> Result {
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemError(call, code: code) }
    }
}

/// Checks the result of a libsystemd call: a negative number is `-errno`.
@discardableResult
package func checkSystemd(_ call: StaticText, _ result: Int32) throws(SystemError) -> Int32 {
    if result < 0 { throw SystemError(call, code: -result) }
    return result
}

extension String {
    /// A C string in a buffer.
    init(terminated bytes: [CChar]) {
        self.init(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
