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
        case control, network
    }

    /// Methods that change nothing and ask no other machine.
    private static let readers: Set = [
        "status", "settings.get", "activities.list", "activities.get", "activities.track", "course.list",
        "partner.get", "course.profile", "rpc.discover",
    ]

    /// - Throws: a sentence for a body that is no request.
    package init(_ body: [UInt8]) throws(APIRequest.Failure) {
        guard let json = try? JSON(parsing: body) else { throw .wrongValue("the body must be one JSON object") }
        guard let method = json["method"]?.string, let id = json["id"], id != .null else {
            throw .wrongValue("the body must be one request of JSON-RPC 2.0 with a method and an id")
        }
        if method.hasPrefix("upload.") { throw .wrongValue("send the file to /api/activities or /api/courses") }
        self.method = method
        namesActivity = json["params"]?["id"] != nil
    }

    package var socket: Socket {
        ["weather.", "route.", "transit."].contains { method.hasPrefix($0) } ? .network : .control
    }

    /// Whether the socket has the method.
    package var isKnown: Bool {
        do throws(RPCError) {
            _ = try ControlRequest(method: method, parameters: nil, on: socket == .network ? .network : .control)
            return true
        } catch {
            return error != .methodNotFound
        }
    }

    package var needsControl: Bool {
        !Self.readers.contains(method)
    }

    /// Whether the live page needs it: the run in progress, and no earlier one.
    package var isLive: Bool {
        switch method {
        case "status", "settings.get", "course.profile": true
        case "activities.track": !namesActivity
        default: method.hasPrefix("run.")
        }
    }
}
