import Domain
import HTTPServer
import JSONCoding
import Wire

/// Which requests of JSON-RPC go to which socket, and who may send them.
package struct CallPolicy: Equatable {
    var method: String
    /// Whether the request has parameters that name an activity.
    private var namesActivity: Bool

    package enum Socket: Equatable {
        case control, network, link
    }

    /// - Throws: a sentence for a body that is no request.
    package init(_ body: [UInt8]) throws(APIRequest.Failure) {
        guard let json = try? JSON(parsing: body) else { throw .wrongValue("the body must be one JSON object") }
        guard let method = json["method"]?.string, let id = json["id"], id != .null else {
            throw .wrongValue("the body must be one request of JSON-RPC 2.0 with a method and an id")
        }
        if method.hasPrefix("upload.") { throw .wrongValue("send the file to /api/activities or /api/courses") }
        if method == "link.login" { throw .wrongValue("log in with 'sudo pacectl upload login NAME'") }
        self.method = method
        namesActivity = json["params"]?["id"] != nil
    }

    package var socket: Socket {
        if NetworkRequest.table.method(method) != nil { return .network }
        return LinkRequest.table.method(method) == nil ? .control : .link
    }

    /// Nil if no socket has the method.
    private var access: RPCAccess? {
        method == RPCTable<ControlRequest>.discover
            ? .read
            : ControlRequest.table.method(method)?.access ?? NetworkRequest.table.method(method)?.access
                ?? LinkRequest.table.method(method)?.access
    }

    package var isKnown: Bool { access != nil }

    package var needsControl: Bool {
        switch access {
        case .live, .read: false
        case .run, .change, nil: true
        }
    }

    /// Whether the live page needs it: the run in progress, and no earlier one.
    package var isLive: Bool {
        switch access {
        case .live, .run: true
        case .read: method == "activities.track" && !namesActivity
        case .change, nil: false
        }
    }
}
