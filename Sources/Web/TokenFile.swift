import Domain
import JSONCoding
import Linux

/// The stored tokens: a JSON object of version 1 in a private directory.
package struct TokenFile {
    private static let version = 1
    private static let sizeLimit = 512 * 1024

    /// Why the file cannot be used. `line` says what to do.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package internal(set) var line: String

        package var description: String { line }
    }

    private let file: AtomicFile

    package init(in directory: String) {
        file = AtomicFile(in: directory, name: "tokens.json", mode: 0o600)
    }

    /// An empty list if there is no file.
    package func read() throws(Failure) -> AccessList {
        let bytes: [UInt8]?
        do throws(AtomicFile.Failure) {
            bytes = try file.read(limit: Self.sizeLimit)
        } catch {
            switch error {
            case .tooLong: throw damaged
            case .directory(let error): throw Failure(line: "\(error)")
            }
        }
        guard let bytes else { return AccessList() }
        guard let json = try? JSON(parsing: bytes), let list = AccessList(json) else { throw damaged }
        return list
    }

    private var damaged: Failure {
        Failure(line: "\(file.path) is damaged: remove it, then sign the browsers in again")
    }

    package func write(_ list: AccessList) throws(Failure) {
        do throws(DirectoryError) {
            try file.replace(with: Self.bytes(of: list))
        } catch {
            throw Failure(line: "the tokens cannot be stored: \(error)")
        }
    }

    package static func bytes(of list: AccessList) -> [UInt8] {
        var json = JSONWriter(capacity: 4096)
        json.object { json in
            json.member("version", version)
            json.member("last_id", list.lastID)
            json.array("tokens") { json in
                for token in list.tokens {
                    json.object { json in
                        json.member("id", token.id)
                        json.member("hash", token.hash.hexadecimal)
                        json.member("scope", token.scope.rawValue)
                        json.member("name", token.name.text)
                        json.member("user", (token.maker?.user).map { Int($0) })
                        json.member("is_member", token.maker?.isMember)
                        json.member("created_ms", token.created.milliseconds)
                        json.member("used_ms", token.used.milliseconds)
                    }
                }
            }
        }
        json.newline()
        return json.bytes
    }
}

extension AccessList {
    /// Nil for an object of another version, or a damaged one.
    fileprivate init?(_ json: JSON) {
        guard json["version"]?.integer == 1, let last = json["last_id"]?.integer, let tokens = json["tokens"]?.array,
            tokens.count <= 2 * Self.tokenLimit
        else { return nil }
        var read: [AccessToken] = []
        for token in tokens {
            guard let token = AccessToken(token) else { return nil }
            read.append(token)
        }
        self.init(tokens: read, lastID: last)
    }
}

extension AccessToken {
    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.integer, id > 0, let hash = json["hash"]?.string.flatMap([UInt8].init(hexadecimal:)),
            hash.count == 32, let scope = json["scope"]?.string.flatMap(AccessScope.init(rawValue:)),
            let name = json["name"]?.string.flatMap({ SanitizedText($0) }), let created = json["created_ms"]?.integer,
            let used = json["used_ms"]?.integer
        else { return nil }
        let maker = json["user"]?.integer.flatMap { UInt32(exactly: $0) }.map {
            Maker(user: $0, isMember: json["is_member"]?.bool ?? false)
        }
        self.init(
            id: id, hash: hash, scope: scope, name: name, maker: maker, created: UTC(milliseconds: Int64(created)),
            used: UTC(milliseconds: Int64(used)))
    }
}
