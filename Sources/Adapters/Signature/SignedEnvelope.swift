import FoundationEssentials
package import JSON
package import SystemFiles

/// Bytes and one signature of them in one JSON object.
///
/// Source: DSSE v1.0.2, <https://github.com/secure-systems-lab/dsse>.
package struct SignedEnvelope: Sendable, Equatable {
  /// The bytes that were signed, to be read as they are and never written anew.
  package let payload: [UInt8]
  /// Name of the key as the envelope has it, which anybody can write there; empty where it has none.
  package let keyName: String
  private let type: String
  private let signature: [UInt8]

  /// Reads the envelope in `bytes`, of at most `limit`, with a payload of the type `type`.
  ///
  /// - Throws: `SignatureDefect`.
  package init(parsing bytes: [UInt8], of type: String, limit: Int) throws(SignatureDefect) {
    try self.init(try SignedObject(bytes, "the envelope", limit: limit), of: type)
  }

  init(_ envelope: SignedObject, of type: String) throws(SignatureDefect) {
    let found = try envelope.string("payloadType")
    guard found == type else { throw .otherPayload(found) }
    self.type = type
    payload = try envelope.bytes("payload")
    let signatures = try envelope.objects("signatures")
    guard signatures.count == 1 else { throw .signatureCount(signatures.count) }
    signature = try signatures[0].bytes("sig")
    keyName = signatures[0].members["keyid"]?.string ?? ""
  }

  /// Signs `payload` of the type `type` with `key`, which the envelope calls `keyName`.
  package init(signing payload: [UInt8], of type: String, with key: PrivateKey, keyName: String) {
    (self.payload, self.type, self.keyName) = (payload, type, keyName)
    signature = key.signature(of: Self.signedBytes(payload, type))
  }

  /// Whether the private half of `key` signed exactly the payload.
  package func isMade(by key: PublicKey) -> Bool {
    key.verifies(signature, of: Self.signedBytes(payload, type))
  }

  /// The envelope as JSON.
  package var json: JSONValue {
    .object([
      "payload": .string(Data(payload).base64EncodedString()),
      "payloadType": .string(type),
      "signatures": .array([
        .object([
          "sig": .string(Data(signature).base64EncodedString()), "keyid": .string(keyName),
        ])
      ]),
    ])
  }

  /// The encoding of what is signed.
  private static func signedBytes(_ payload: [UInt8], _ type: String) -> [UInt8] {
    Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
  }
}
